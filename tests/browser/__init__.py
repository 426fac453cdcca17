"""Tests in a real browser: ``make test-browser``; a plain ``pytest`` leaves them out."""
