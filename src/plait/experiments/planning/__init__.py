"""Plans: TOML files read, checked as a whole, and made into methods, grids and measures."""
