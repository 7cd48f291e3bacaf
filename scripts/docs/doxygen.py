# SPDX-License-Identifier: Apache-2.0
"""The declarations of the public headers with their comments, from Doxygen's XML: `read(folder)` lists them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

# What is not for users: its names may change with any version.
INTERNAL = re.compile(r"(^|::)detail(_\w+)?(::|$)|^std(::|$)")
# The last parameter of what copies: the line that called, which no reader passes.
CALLER = re.compile(r"(, )?Caller caller=Caller::current\(\)")


@dataclass
class Declaration:
    """A class, function, variable, type, enumeration or concept as Sphinx's C++ domain writes it."""

    directive: str
    scope: str
    signatures: list[str]
    file: str
    line: int
    text: str
    members: list[Declaration] = field(default_factory=list)


def read(folder: Path) -> list[Declaration]:
    """All public declarations of namespaces, in the order of their headers and lines."""
    compounds = {}
    for path in folder.glob("*.xml"):
        for compound in ElementTree.parse(path).getroot().iter("compounddef"):
            compounds[compound.get("id")] = compound
    found = []
    for compound in compounds.values():
        scope = compound.findtext("compoundname", "")
        if compound.get("kind") != "namespace" or INTERNAL.search(scope):
            continue
        found += [made for member in compound.iter("memberdef") if (made := member_of(member, scope))]
        for inner in (*compound.iter("innerclass"), *compound.iter("innerconcept")):
            if not INTERNAL.search(inner.text or "") and (made := compound_of(compounds, inner.get("refid"), scope)):
                found.append(made)
    for compound in compounds.values():
        if compound.get("kind") == "concept" and not INTERNAL.search(compound.findtext("compoundname", "")):
            found.append(concept_of(compound))
    return sorted(found, key=lambda declaration: (declaration.file, declaration.line))


def plain(element: ElementTree.Element | None) -> str:
    """Its text on one line, with the angle brackets closed up: `std::optional<Index>`."""
    text = "" if element is None else " ".join("".join(element.itertext()).split())
    return re.sub(r"\s+>", ">", re.sub(r"<\s+", "<", text))


def template_of(element: ElementTree.Element) -> str:
    """`template<typename T> requires …`, or nothing."""
    parameters = element.find("templateparamlist")
    if parameters is None:
        return ""
    words = []
    for parameter in parameters.iter("param"):
        word = plain(parameter.find("type"))
        if name := plain(parameter.find("declname")):
            word += f" {name}"
        if default := plain(parameter.find("defval")):
            word += f" = {default}"
        words.append(word)
    requires = plain(element.find("requiresclause"))
    return f"template<{', '.join(words)}> " + (f"requires {requires} " if requires else "")


def member_of(member: ElementTree.Element, scope: str) -> Declaration | None:
    """A function, variable, type or enumeration; nothing where it is private, deleted or for no reader."""
    kind, name = member.get("kind"), plain(member.find("name"))
    text = comment(member)
    arguments = plain(member.find("argsstring"))
    friend = kind == "friend"
    if member.get("prot") != "public" or "=delete" in arguments or (friend and not (text and arguments)):
        return None
    if kind == "function" and member.get("refqual") == "rvalue" and member.get("const") != "yes":
        return None  # for temporaries; the overload for all other tensors is shown
    if kind == "function" and not text and (name.startswith("~") or arguments.endswith("=default")):
        return None  # what every class has
    where = member.find("location")
    assert where is not None
    made = Declaration("", scope, [], where.get("file", ""), int(where.get("line", "0")), text)
    type_ = re.sub(r"^((friend|constexpr|inline)( |$))+", "", plain(member.find("type")))
    if kind == "enum":
        if not name:
            return None
        made.directive = "cpp:enum-class" if member.get("strong") == "yes" else "cpp:enum"
        made.signatures = [name + (f" : {type_}" if type_ else "")]
        for value in member.iter("enumvalue"):
            enumerator = plain(value.find("name")) + (f" {plain(value.find('initializer'))}").rstrip()
            made.members.append(
                Declaration("cpp:enumerator", f"{scope}::{name}", [enumerator], made.file, made.line, comment(value))
            )
    elif kind == "typedef":
        made.directive, made.signatures = "cpp:type", [f"{template_of(member)}{name} = {type_}"]
    elif kind == "variable":
        made.directive = "cpp:member"
        initializer = plain(member.find("initializer"))
        short = f" {initializer}" if initializer.startswith("=") and len(initializer) < 60 else ""
        constant = "constexpr " if member.get("constexpr") == "yes" else ""
        static = "static " if member.get("static") == "yes" else ""
        array = plain(member.find("argsstring"))
        made.signatures = [f"{template_of(member)}{static}{constant}{type_} {name}{array}{short}"]
    else:
        made.directive = "cpp:function"
        words = [word for word in ("explicit", "static", "constexpr") if member.get(word) == "yes"]
        if member.get("virt") in ("virtual", "pure-virtual"):
            words.append("virtual")
        arguments = re.sub(r"=default$", " = default", CALLER.sub("", arguments))
        made.signatures = [template_of(member) + " ".join([*words, type_, name]).replace("  ", " ") + arguments]
    return made


def compound_of(compounds: dict, identifier: str | None, scope: str) -> Declaration | None:
    """A class or struct with its public members, in order."""
    compound = compounds[identifier]
    if compound.get("prot", "public") != "public":
        return None
    name = compound.findtext("compoundname", "").removeprefix(scope + "::")
    bases = [b for base in compound.findall("basecompoundref") if not INTERNAL.search(b := plain(base))]
    where = compound.find("location")
    assert where is not None
    directive = "cpp:struct" if compound.get("kind") == "struct" else "cpp:class"
    signature = template_of(compound) + name + (f" : public {', '.join(bases)}" if bases else "")
    place = where.get("file", ""), int(where.get("line", "0"))
    made = Declaration(directive, scope, [signature], *place, comment(compound))
    inside = compound.findtext("compoundname", "")
    for member in compound.iter("memberdef"):
        if one := member_of(member, inside):
            made.members.append(one)
    for inner in compound.iter("innerclass"):
        if inner.get("prot") == "public" and (one := compound_of(compounds, inner.get("refid"), inside)):
            made.members.append(one)
    made.members.sort(key=lambda declaration: declaration.line)
    return made


def concept_of(compound: ElementTree.Element) -> Declaration:
    scope, _, name = compound.findtext("compoundname", "").rpartition("::")
    where = compound.find("location")
    assert where is not None
    return Declaration(
        "cpp:concept",
        scope,
        [template_of(compound) + name],
        where.get("file", ""),
        int(where.get("line", "0")),
        comment(compound),
    )


def comment(element: ElementTree.Element) -> str:
    """The brief and the detailed description as Markdown, for a page two folders below the root of the site."""
    blocks = []
    for name in ("briefdescription", "detaileddescription"):
        description = element.find(name)
        if description is not None:
            blocks += [block for child in description if (block := block_of(child))]
    return with_links("\n\n".join(blocks))


def with_links(text: str) -> str:
    """A text that names docs/ledger.md with a link to it."""
    return re.sub(r"\bdocs/[\w-]+\.md\b", r"[\g<0>](../../\g<0>)", text)


def block_of(element: ElementTree.Element) -> str:
    """A paragraph, list or program of a comment as Markdown."""
    if element.tag == "programlisting":
        lines = ["".join(character_of(part) for part in line.iter()) for line in element.iter("codeline")]
        language = element.get("filename", ".c++").removeprefix(".")
        return "\n".join([f"```{language}", *lines, "```"])
    if element.tag in ("itemizedlist", "orderedlist"):
        items = ["\n\n".join(block_of(child) for child in item) for item in element.findall("listitem")]
        return "\n".join("- " + item.replace("\n", "\n  ") for item in items)
    if element.tag != "para":
        raise ValueError(f"<{element.tag}> of Doxygen's XML has no form here: {plain(element)[:80]}")
    blocks, words = [], escaped(element.text)
    for child in element:
        if child.tag in ("programlisting", "itemizedlist", "orderedlist"):
            blocks += [words.strip(), block_of(child)]
            words = ""
        else:
            words += inline_of(child)
        words += escaped(child.tail)
    return "\n\n".join(block for block in (*blocks, words.strip()) if block)


def inline_of(element: ElementTree.Element) -> str:
    text = "".join(element.itertext())
    if element.tag == "computeroutput":
        fence = "``" if "`" in text else "`"
        return f"{fence}{text}{fence}"
    if element.tag == "ref":
        return escaped(text)
    if element.tag == "ulink":
        return f"[{escaped(text)}]({element.get('url', text)})"
    if element.tag in ("emphasis", "bold"):
        mark = "*" if element.tag == "emphasis" else "**"
        return f"{mark}{escaped(text)}{mark}"
    if element.tag in ("ndash", "mdash"):
        return {"ndash": "–", "mdash": "—"}[element.tag]
    raise ValueError(f"<{element.tag}> of Doxygen's XML has no form here: {text[:80]}")


def character_of(element: ElementTree.Element) -> str:
    """The text of a node of a program, whose spaces are elements."""
    space = " " if element.tag == "sp" else ""
    tail = element.tail if element.tag in ("sp", "highlight", "ref") else ""
    text = element.text if element.tag in ("highlight", "ref") else ""
    return (text or "") + space + ((tail or "") if element.tag != "highlight" else "")


def escaped(text: str | None) -> str:
    """Text in which Markdown sees no mark-up."""
    return re.sub(r"([\\`*_{}\[\]<>#$|])", r"\\\1", " ".join((text or "").split(" ")))
