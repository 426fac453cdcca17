"""The table of contents and the site, made from the notebooks' sources and the pages."""
