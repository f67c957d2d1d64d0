// Package ipynb reads notebooks in Jupyter's format (nbformat 4), as far as the lab's commands look
// into them.
package ipynb

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Notebook has cells.
type Notebook struct {
	Cells []Cell `json:"cells"`
}

// A Cell is of code or of Markdown, as Type says.
type Cell struct {
	Type     string `json:"cell_type"`
	Source   Text   `json:"source"`
	Metadata struct {
		Tags []string `json:"tags"`
	} `json:"metadata"`
	Outputs []Output `json:"outputs"`
}

// Tagged tells whether the cell has a tag.
func (c Cell) Tagged(tag string) bool { return slices.Contains(c.Metadata.Tags, tag) }

// An Output is an error, text of a stream, or something that is shown.
type Output struct {
	Type string `json:"output_type"`

	// Of a stream.
	Name string `json:"name"`
	Text Text   `json:"text"`

	// Of an error.
	ErrorName  string   `json:"ename"`
	ErrorValue string   `json:"evalue"`
	Traceback  []string `json:"traceback"`

	// Of what is shown: the same by media type, and what package notebook notes about it.
	Data     map[string]Text `json:"data"`
	Metadata struct {
		Figure string `json:"overlap_figure"`
		Result string `json:"overlap_result"`
	} `json:"metadata"`
}

// Said is the text of a stream or of an error.
func (o Output) Said() string {
	if o.Type == "error" {
		return strings.Join(o.Traceback, "\n")
	}
	return string(o.Text)
}

// Text is a string that notebooks also write as a list of lines, or, in what is shown, JSON of any
// other kind as it stands.
type Text string

// UnmarshalJSON reads all forms.
func (t *Text) UnmarshalJSON(data []byte) error {
	var lines []string
	if json.Unmarshal(data, &lines) == nil {
		*t = Text(strings.Join(lines, ""))
	} else if json.Unmarshal(data, (*string)(t)) != nil {
		*t = Text(data)
	}
	return nil
}

// Read reads a notebook's file.
func Read(data []byte) (Notebook, error) {
	var n Notebook
	if err := json.Unmarshal(data, &n); err != nil {
		return n, fmt.Errorf("not a notebook: %w", err)
	}
	return n, nil
}
