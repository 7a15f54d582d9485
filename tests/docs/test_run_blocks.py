# SPDX-License-Identifier: MIT
"""The runner of code blocks is itself held to its word: it fails where a page does not do what it says."""
import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent


def run(text, *options):
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "page.md"
        path.write_text(text)
        done = subprocess.run([sys.executable, "-B", str(HERE / "run_blocks.py"), "--build", os.environ["ZEROTH_BUILD"], *options,
                               str(path)], capture_output=True, text=True)
        return done.returncode, done.stdout, path.read_text()


GOOD = """
<!-- file: answer.txt -->
```text
forty-two
```

```sh
cat answer.txt
```

<!-- output -->
```text
forty-two
```

```python
question = 6 * 7
```

```python
print(question)
```

<!-- not run: needs a cathedral -->
```sh
exit 1
```
"""


def test_a_good_page():
    code, out, _ = run(GOOD)
    assert code == 0, out
    assert "3 blocks run, 1 files written, 1 outputs compared, 0 blocks of plain text, 1 not run" in out
    assert "needs a cathedral" in out


@pytest.mark.parametrize("change,words", [
    (("cat answer.txt", "cat question.txt"), "this block failed"),
    (("print(question)", "print(answer)"), "NameError"),
    (("forty-two\n```\n\n```python", "forty-three\n```\n\n```python"), "not what the block before printed"),
    (("needs a cathedral", ""), "a reason"),
    (("```sh\ncat", "```\ncat"), "are not run"),
    (("```sh\ncat", "```ruby\ncat"), "are not run"),
    (("<!-- file: answer.txt -->", "<!-- file: answer.txt -->\nprose"), "right before its block"),
])
def test_a_page_that_lies(change, words):
    assert change[0] in GOOD
    code, out, _ = run(GOOD.replace(*change))
    assert code != 0 and words in out, out


def test_outputs_are_written_anew_on_request():
    code, out, text = run(GOOD.replace("forty-two\n```\n\n```python", "forty-three\n```\n\n```python"), "--update")
    assert code == 0 and text == GOOD
