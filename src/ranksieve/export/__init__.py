"""Into search engines: definitions of features cut down to those that a selection keeps."""
