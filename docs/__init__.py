"""Pages, and what makes the site of them."""
