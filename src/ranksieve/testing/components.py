"""The module that pytest collects for `--component`: `plugin` puts the classes of tests here."""
