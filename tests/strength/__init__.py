"""How strong the reference bots are, measured on mirrored deals against `steady` and `seer` as they once were."""
