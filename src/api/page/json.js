// SPDX-License-Identifier: Apache-2.0
// JSON without loss: numbers keep their text (JSON.parse rounds integers above 2^53), and objects
// are maps, so that a key such as "__proto__" is a key like any other.

export class JsonNumber {
  constructor(text) {
    this.text = text;
  }
}

const BLANK = /[ \t\r\n]*/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y;

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) {
      throw new SyntaxError(`not JSON at offset ${this.at}`);
    }
    this.at += found[0].length;
    return found[0];
  }

  // The next character that is no blank.
  peek() {
    this.match(BLANK);
    return this.text[this.at];
  }

  take(character) {
    if (this.peek() !== character) {
      throw new SyntaxError(`'${character}' is missing at offset ${this.at}`);
    }
    ++this.at;
  }

  word(word, value) {
    if (!this.text.startsWith(word, this.at)) {
      throw new SyntaxError(`not JSON at offset ${this.at}`);
    }
    this.at += word.length;
    return value;
  }

  string() {
    return JSON.parse(this.match(STRING));
  }

  // What stands between brackets, with commas.
  sequence(open, close, element) {
    this.take(open);
    if (this.peek() === close) {
      ++this.at;
      return;
    }
    for (;;) {
      element();
      if (this.peek() === close) {
        ++this.at;
        return;
      }
      this.take(",");
    }
  }

  value() {
    switch (this.peek()) {
      case "{": {
        const object = new Map();
        this.sequence("{", "}", () => {
          this.peek();
          const key = this.string();
          this.take(":");
          object.set(key, this.value());
        });
        return object;
      }
      case "[": {
        const array = [];
        this.sequence("[", "]", () => array.push(this.value()));
        return array;
      }
      case '"':
        return this.string();
      case "t":
        return this.word("true", true);
      case "f":
        return this.word("false", false);
      case "n":
        return this.word("null", null);
      default:
        return new JsonNumber(this.match(NUMBER));
    }
  }
}

export function parseJson(text) {
  const reader = new Reader(text);
  const value = reader.value();
  if (reader.peek() !== undefined) {
    throw new SyntaxError(`text after the value at offset ${reader.at}`);
  }
  return value;
}

// The text of a value on one line.
export function compact(value) {
  if (value instanceof Map) {
    return `{${[...value].map(([k, v]) => `${JSON.stringify(k)}:${compact(v)}`).join(",")}}`;
  }
  if (Array.isArray(value)) {
    return `[${value.map(compact).join(",")}]`;
  }
  return value instanceof JsonNumber ? value.text : JSON.stringify(value);
}

// Calls emit(kind, text, value) for the pieces of an indented text: "key", "string", "number",
// "literal", and "plain" for all between.
export function pieces(value, emit, indent = "") {
  const deeper = `${indent}  `;
  const list = (open, close, entries, each) => {
    if (entries.length === 0) {
      emit("plain", open + close);
      return;
    }
    emit("plain", open);
    entries.forEach((entry, index) => {
      emit("plain", `${index === 0 ? "" : ","}\n${deeper}`);
      each(entry);
    });
    emit("plain", `\n${indent}${close}`);
  };
  if (value instanceof Map) {
    list("{", "}", [...value], ([key, member]) => {
      emit("key", JSON.stringify(key));
      emit("plain", ": ");
      pieces(member, emit, deeper);
    });
  } else if (Array.isArray(value)) {
    list("[", "]", value, (element) => pieces(element, emit, deeper));
  } else if (value instanceof JsonNumber) {
    emit("number", value.text);
  } else {
    emit(typeof value === "string" ? "string" : "literal", JSON.stringify(value), value);
  }
}
