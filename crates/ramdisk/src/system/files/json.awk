# Prints each value of a JSON text in a line: its path, a tab, and the value. Text is cut at what is
# no JSON. Line breaks and tabs in values become spaces, letters beyond ASCII that are escaped a
# question mark.
{ text = text $0 "\n" }

END {
    end = length(text)
    at = 1
    value("", 0)
}

function skip() {
    while (at <= end && index(" \t\r\n", substr(text, at, 1))) at++
}

function value(path, depth,    letter, key, number) {
    skip()
    letter = substr(text, at, 1)
    if (depth > 16 || at > end) {
        at = end + 1
    } else if (letter == "{") {
        at++
        skip()
        while (at <= end && substr(text, at, 1) != "}") {
            key = string()
            skip()
            if (substr(text, at, 1) != ":") at = end
            at++
            value(path "." key, depth + 1)
            separator("}")
        }
        at++
    } else if (letter == "[") {
        at++
        skip()
        number = 0
        while (at <= end && substr(text, at, 1) != "]") {
            value(path "[" number++ "]", depth + 1)
            separator("]")
        }
        at++
    } else if (letter == "\"") {
        print path "\t" string()
    } else if (match(substr(text, at, 64), /^[-+.a-zA-Z0-9]+/)) {
        print path "\t" substr(text, at, RLENGTH)
        at += RLENGTH
    } else {
        at = end + 1
    }
}

# Behind a value comes a comma, or the end.
function separator(final) {
    skip()
    if (substr(text, at, 1) == ",") at++
    else if (substr(text, at, 1) != final) at = end + 1
    skip()
}

function string(    letter, out) {
    if (substr(text, at, 1) != "\"") {
        at = end + 1
        return ""
    }
    at++
    while (at <= end) {
        letter = substr(text, at++, 1)
        if (letter == "\"") return out
        if (letter == "\\") {
            letter = substr(text, at++, 1)
            if (index("nrtbf", letter)) letter = " "
            else if (letter == "u") {
                letter = ascii(substr(text, at, 4))
                at += 4
            }
        } else if (letter == "\n" || letter == "\t") letter = " "
        out = out letter
    }
    return out
}

function ascii(digits,    code, place) {
    code = 0
    digits = tolower(digits)
    for (place = 1; place <= 4; place++)
        code = code * 16 + index("0123456789abcdef", substr(digits, place, 1)) - 1
    return code >= 32 && code < 127 ? sprintf("%c", code) : "?"
}
