"""Reference implementation of Fiacre, to compare Cairn with: written from the language page alone,
for clarity and not for speed."""
