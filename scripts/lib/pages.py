"""Writes executed notebooks, as notebooks and as pages that stand alone."""

import html
import pathlib
import re

import nbformat
from nbconvert import HTMLExporter


# What the page looks like beside Jupyter's own style: nothing scrolls within
# it, long lines wrap between words, and text is no wider than one can read.
STYLE = """<style>
:root { color-scheme: light; }
body.jp-Notebook { box-sizing: border-box; max-width: 1140px; margin: 0 auto; padding: 1rem; overflow: visible; color: #1f1f1f; background: #fff; }
.jp-OutputArea, .jp-OutputArea-child, .jp-OutputArea-output, .jp-OutputArea-output pre, .jp-RenderedHTMLCommon, .jp-InputArea-editor, .highlight, .highlight pre
  { overflow: visible !important; max-height: none !important; }
.jp-OutputArea-output pre, .highlight pre
  { white-space: pre-wrap !important; word-break: normal !important; overflow-wrap: anywhere; tab-size: 4; -moz-tab-size: 4; }
.jp-Cell-outputArea, .jp-OutputArea-child, .jp-OutputArea-output { min-width: 0; }
.jp-RenderedHTMLCommon :is(p, li, h1, h2, h3) { max-width: 52rem; overflow-wrap: break-word; }
.jp-RenderedHTMLCommon table { margin: 0 0 1em; max-width: 100%; table-layout: auto; }
.jp-RenderedHTMLCommon :is(th, td) { max-width: none; overflow-wrap: normal; }
.jp-OutputArea-output.jp-RenderedHTML { padding-left: 5px; }
.jp-RenderedImage img { max-width: 100%; height: auto; }
@media (max-width: 760px) {
  .jp-InputPrompt, .jp-OutputPrompt, .jp-Cell-inputCollapser, .jp-Cell-outputCollapser { display: none !important; }
  .jp-OutputArea-child { display: block !important; }
  .jp-OutputArea-output { display: block !important; width: auto; max-width: 100%; }
  .jp-RenderedHTMLCommon table { display: block; overflow-x: auto; }
}
</style>
"""


def clean(nb):
    """Leaves in the metadata only what is the same on every machine."""
    nb.metadata = nbformat.from_dict({
        "kernelspec": {"display_name": "Go (overlap)", "language": "go", "name": "overlap"},
        "language_info": {"name": "go", "file_extension": ".go", "mimetype": "text/x-go", "pygments_lexer": "go"},
    })
    nb.nbformat, nb.nbformat_minor = 4, 5
    used = set()
    for i, cell in enumerate(nb.cells):
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k in ("tags", "jupyter")})
        if cell.get("id") in used or not cell.get("id"):
            cell["id"] = f"cell-{i + 1:02}"
        used.add(cell["id"])
        for out in cell.get("outputs", []):
            out.pop("transient", None)


def write_notebook(nb, path):
    _write(path, nbformat.writes(nb) + "\n")


def write_html(nb, path, title):
    """One file with everything in it: no script from elsewhere, figures with their alternative text."""
    page, _ = HTMLExporter(template_name="lab").from_notebook_node(nb, resources={"metadata": {"name": title}})
    page = re.sub(r'<script[^>]*\bsrc="[^"]*"[^>]*>\s*</script>\s*', "", page)
    alt = {}
    for cell in nb.cells:
        for out in cell.get("outputs", []):
            data = out.get("data", {})
            if "image/png" in data:
                alt[re.sub(r"\s", "", data["image/png"])] = "".join(data.get("text/plain", ""))

    def with_alt(match):
        text = alt.get(re.sub(r"\s", "", html.unescape(match[2])), "")
        return f'{match[1]} alt="{html.escape(text)}"'

    page = re.sub(r'(<img src="data:image/png;base64,([^"]*)")(?![^>]*\salt=)', with_alt, page)
    _write(path, page.replace("</head>", STYLE + "</head>", 1))


def _write(path, text):
    """All of it or nothing, so that a full disk or a stop leaves no half file."""
    new = pathlib.Path(str(path) + ".new")
    try:
        new.write_text(text, "utf-8")
        new.replace(path)
    except OSError as e:
        new.unlink(missing_ok=True)
        raise OSError(f"write {path}: {e.strerror}; free some space or set OVERLAP_OUT to a folder that can be written") from e
