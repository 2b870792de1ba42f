"""The report: each section asks for measurements and turns them into rows."""
