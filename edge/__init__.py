"""The table: hears, rules, records, tells."""
