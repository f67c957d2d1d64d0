"""Tests of notebook_check: python3 scripts/lib/notebook_check_test.py"""

import unittest

from nbformat import from_dict

from notebook_check import faults, label, progress

NAMES = {"Speedup", "Trials"}
FIGURE = 'notebook.Show(chart.Speedup(result))'


def stream(name, text):
    return {"output_type": "stream", "name": name, "text": text}


def shown(**data):
    return {"output_type": "display_data", "metadata": {}, "data": {k.replace("_", "/"): v for k, v in data.items()}}


def error(*lines):
    return {"output_type": "error", "ename": "ERROR", "evalue": "exit status 1", "traceback": list(lines)}


PICTURE = shown(image_png="iVBORw0KGgo=", text_plain="a figure")
EXIT = [stream("stderr", "exit status 2\n"), error("exit status 2")]
PANIC = [stream("stderr", "panic: "), stream("stderr", "boom\n\ngoroutine 1 [running]:\nmain.main()\n")] + EXIT


def cell(source, *outputs, tags=()):
    return from_dict({"cell_type": "code", "source": source, "metadata": {"tags": list(tags)}, "outputs": list(outputs)})


class Faults(unittest.TestCase):
    """One row a case: the cell, and a word of each fault in its order."""

    def check(self, rows, tags=()):
        for name, source, outputs, want in rows:
            with self.subTest(name):
                got = faults(cell(source, *outputs, tags=tags), NAMES)
                self.assertEqual(len(got), len(want), got)
                for text, word in zip(got, want):
                    self.assertIn(word, text)

    def test_faults(self):
        self.check([
            ("nothing wrong", "x := 1", [], []),
            ("stdout is no fault", "", [stream("stdout", "fine\n")], []),
            ("error", "", [error("exit status 1")], ["error: exit status 1"]),
            ("error without a traceback", "", [error()], ["error: exit status 1"]),
            ("stderr", "", [stream("stderr", "a warning\n")], ["on stderr: a warning"]),
            ("stderr as lines", "", [stream("stderr", ["a ", "warning\n"])], ["on stderr: a warning"]),
            ("white space on stderr", "", [stream("stderr", " \n")], []),
            ("stderr comes first", "", [stream("stderr", "why\n"), error("exit status 1")], ["on stderr: why", "error"]),
            ("colours go", "", [error("\x1b[7mred\x1b[0m")], ["error: red"]),
            ("the end of a long message", "", [stream("stderr", "\n".join(map(str, range(50))))], ["…\n38\n"]),
            ("figure there", FIGURE, [PICTURE], []),
            ("figure missing", FIGURE, [shown(text_plain="no figure")], ["1 figure(s) made by its source, 0 shown"]),
            ("one of two missing", FIGURE + "\n" + FIGURE, [PICTURE], ["2 figure(s) made by its source, 1 shown"]),
            ("figure in a comment", "// " + FIGURE, [], []),
            ("no constructor", "rows := chart.ReadPublished(path)", [], []),
            ("empty display", "", [shown(text_plain=" ")], ["an empty display"]),
            ("display of nothing", "", [shown()], ["an empty display"]),
            ("shows nothing", 'notebook.Text("hello")', [], ["showed nothing"]),
            ("no GDAL", FIGURE, [error("# overlap/pkg/workload/raster\nGDAL cannot be used here, and …\nMissing: a C compiler.")],
             ["GDAL cannot be used here, and …\nMissing: a C compiler."]),
            ("shows something", 'notebook.Text("hello")', [shown(text_plain="hello")], []),
        ])

    def test_raises_exception(self):
        said = stream("stderr", "a log line\n")
        self.check([
            ("error", "", [error("exit status 1")], []),
            ("does not compile", "", [error("# main", "declared and not used: x")], []),
            ("why, and the error", "", [stream("stderr", "it went wrong\n")] + EXIT, []),
            ("panic", "", PANIC, []),
            ("no error, but stderr", "", [said], ["on stderr: a log line"]),
            ("stderr before something shown", "", [said, shown(text_plain="hello")] + EXIT, ["on stderr: a log line"]),
            ("stderr before stdout and a panic", "", [said, stream("stdout", "out\n")] + PANIC, ["on stderr: a log line"]),
            ("stderr right before a panic", "", [said] + PANIC, ["on stderr: a log line"]),
            ("stderr after the error", "", EXIT + [said], ["on stderr: a log line"]),
            ("figure there", FIGURE, [PICTURE] + EXIT, []),
            ("figure missing", FIGURE, EXIT, ["1 figure(s) made by its source, 0 shown"]),
            ("empty display", "", [shown(text_plain="")] + EXIT, ["an empty display"]),
        ], tags=["raises-exception"])
        for text in faults(cell("", said, *PANIC, tags=["raises-exception"]), NAMES):
            self.assertNotIn("boom", text)


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
