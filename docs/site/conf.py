# SPDX-License-Identifier: Apache-2.0
"""Sphinx's settings for the documentation site, which scripts/docs/build.py builds with `make docs`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/docs"))

project = "tenstride"
extensions = ["myst_parser", "several_signatures"]
# What texts write between ``` without naming a language is what a program prints.
highlight_language = "text"
smartquotes = False
maximum_signature_line_length = 90
toc_object_entries_show_parents = "hide"
cpp_index_common_prefix = ["tenstride::"]
modindex_common_prefix = ["tenstride."]

myst_enable_extensions = ["colon_fence"]
# The ids that GitHub gives to headings.
myst_heading_anchors = 6

# Types of the standard libraries, template parameters and what is internal have no page here.
nitpick_ignore_regex = [(r"cpp:.*", r".*"), (r"py:.*", r"(?!tenstride\.).*")]

html_theme = "furo"
html_title = "tenstride"
html_static_path = ["static"]
html_css_files = ["style.css"]
html_favicon = "static/favicon.svg"
html_use_index = False
html_domain_indices = False
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
