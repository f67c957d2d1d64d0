"""Tests of cells: python3 scripts/lib/cells_test.py"""

import unittest

from nbformat import from_dict

from cells import label, progress


def shown(**data):
    return {"output_type": "display_data", "metadata": {}, "data": {k.replace("_", "/"): v for k, v in data.items()}}


PICTURE = shown(image_png="iVBORw0KGgo=", text_plain="a figure")


def cell(source, *outputs):
    return from_dict({"cell_type": "code", "source": source, "metadata": {}, "outputs": list(outputs)})


class Words(unittest.TestCase):
    def test_label(self):
        for source, want in [
            ('import (\n\t"fmt"\n)\n\n%%\nfmt.Println(1)', "fmt.Println(1)"),
            ("%%\nx := 1\ny := 2", "x := 1"),
            ("%%", "%%"),
            ("", ""),
        ]:
            self.assertEqual(label(source), want)

    def test_progress(self):
        bar = shown(text_html="<progress value=1></progress>", text_plain="1 of 2\nleft: 3 s")
        self.assertEqual(progress(cell("", PICTURE, bar)), "1 of 2")
        self.assertEqual(progress(cell("", PICTURE)), "")


if __name__ == "__main__":
    unittest.main()
