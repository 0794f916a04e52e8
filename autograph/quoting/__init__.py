"""The only place that builds scaffolding nodes: by templates, and by small builders."""
