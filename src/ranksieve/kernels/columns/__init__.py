"""One look at each column of the features: scans, profiles, hashes, scaling inside queries."""
