"""What features cost in a search engine, from its own measurements.

The way of a profile:

    times           milliseconds by feature, and what belongs to none
    query_profiles  Elasticsearch and OpenSearch: `profile: true`
    timings         Solr: `debug=timing`
    traces          Vespa: `trace.profiling`
    costs           `profile_costs`: which of them a response has; the median per feature
"""

from __future__ import annotations

from ranksieve.data.profiles.costs import FeatureCosts, profile_costs
from ranksieve.data.profiles.times import ProfiledFeature

__all__ = ["FeatureCosts", "ProfiledFeature", "profile_costs"]
