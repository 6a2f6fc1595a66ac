//! Which variables a command makes, and which get what it is given: assignments, `declare`, `read`, `printf -v`.

use super::Doubt;
use super::judge::{Findings, Verdict, WORDS_MAX, all, head, is_declaration, operands};
use super::names::{Kind, Way};
use super::word::{Reference, Word, is_unknown, name_length};
use std::rc::Rc;

/// Options of `read` that have a value.
pub(super) const READ_VALUED: [char; 7] = ['d', 'i', 'n', 'N', 'p', 't', 'u'];

/// Options of `mapfile` that have a value.
pub(super) const MAPFILE_VALUED: [char; 7] = ['C', 'c', 'd', 'n', 'O', 's', 'u'];

/// Notes what an assignment, or an element of one, gives.
pub(super) fn assigned(word: &Word, findings: &mut Findings) {
    if let Some(name) = &word.element_of {
        findings.called.assign(name, word, 0);
        findings.is_rewritten |= &**name == "BASH_ALIASES";
        return findings.names.give([Rc::clone(name)], Way::Assigned, &word.references);
    }
    let Some((name, sign)) = word.assigned() else { return };
    findings.called.assign(name, word, sign + 1);
    findings.names.declared_in(&word.said[sign + 1..]);
    if word.said[name.len()..].starts_with('[') {
        findings.names.is_array(name);
    }
    findings.names.give([name.into()], Way::Assigned, &word.references);
    findings.is_rewritten |= name == "BASH_ALIASES";
}

/// Whether an alias with this text makes more than a command and words of another word: a comment, a quote, a list.
fn rewrites(text: &str) -> bool {
    const RESERVED: [&str; 6] = ["case", "esac", "for", "select", "function", "in"];
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || " -_./,:=+%@".contains(letter);
    !text.chars().all(is_plain) || text.split(' ').any(|word| RESERVED.contains(&word))
}

/// Notes the variables that a command makes, or gives values to.
pub(super) fn variables(name: &str, words: &[Word], fed: &[Reference], findings: &mut Findings) {
    let names = &mut findings.names;
    let given = |words: &'_ [Word]| words.iter().flat_map(|word| word.references.clone()).collect::<Vec<_>>();
    match name {
        _ if is_declaration(name) => declared(name, words, findings),
        "alias" => words.iter().filter_map(|word| word.said.split_once('=')).for_each(|(name, text)| {
            findings.called.hide(name, text);
            names.declared_in(text);
            findings.is_rewritten |= rewrites(text);
        }),
        "eval" | "trap" => {
            let text: Vec<&str> = words.iter().map(|word| word.said.as_str()).collect();
            let text = text.join(" ");
            names.declared_by(&text);
            names.arrayed_in(&text);
            findings.is_rewritten |= text.contains("alias") && rewrites(&text);
        }
        "read" | "mapfile" | "readarray" => {
            let filled = operands_of(name, words);
            let is_array = name != "read" || words.iter().any(|word| word.has_option(&['a', 'A']));
            filled.iter().filter(|_| is_array).for_each(|name| names.is_array(name));
            let valued = if name == "read" { &READ_VALUED } else { &MAPFILE_VALUED };
            for word in operands(words, valued) {
                if is_array { names.names_array(word) } else { names.arrayed_in(&word.said) }
            }
            if operands(words, valued).any(|word| word.said.starts_with(is_unknown)) {
                let doubt = Verdict::Doubted(Doubt::Variable);
                findings.found.extend(fed.iter().map(|reference| (reference.part, doubt)));
            }
            names.give(filled.iter().cloned(), Way::Assigned, fed);
            names.read(filled);
        }
        "getopts" => {
            let filled = [words.get(1).map_or("OPTARG", |word| &word.said), "OPTARG"].map(Rc::from);
            names.give(filled.clone(), Way::Assigned, &given(words.get(2..).unwrap_or_default()));
            names.read(filled);
        }
        "printf" => match words.split_first() {
            Some((option, rest)) if option.said == "-v" => {
                // A name that cannot be read may be that of a number.
                if rest.first().is_some_and(|word| word.said.starts_with(is_unknown)) {
                    let doubt = Verdict::Doubted(Doubt::Variable);
                    rest[1..].iter().for_each(|word| all(word, doubt, &mut findings.found));
                }
                rest.first().into_iter().for_each(|word| names.arrayed_in(&word.said));
                let name = rest.first().map(|word| bare(&word.said));
                names.give(name, Way::Assigned, &given(rest.get(1..).unwrap_or_default()));
            }
            Some((option, rest)) => {
                let name = option.said.strip_prefix("-v").map(bare);
                names.give(name, Way::Assigned, &given(rest));
            }
            None => {}
        },
        _ => {}
    }
}

/// The variables that get what a command reads.
pub(super) fn filled(words: &[Word]) -> Vec<Rc<str>> {
    let words = &words[..words.len().min(WORDS_MAX)];
    match words[head(words)..].split_first() {
        Some((name, rest)) => operands_of(&name.said, rest),
        None => Vec::new(),
    }
}

fn operands_of(name: &str, words: &[Word]) -> Vec<Rc<str>> {
    let (valued, default) = match name {
        "read" => (&READ_VALUED[..], "REPLY"),
        "mapfile" | "readarray" => (&MAPFILE_VALUED[..], "MAPFILE"),
        _ => return Vec::new(),
    };
    let names: Vec<Rc<str>> = operands(words, valued).map(|word| bare(&word.said)).collect();
    if names.is_empty() { vec![default.into()] } else { names }
}

/// Notes what `declare` and its kin make of their names, and what these get.
fn declared(name: &str, words: &[Word], findings: &mut Findings) {
    let is_option = |word: &&Word| word.said.starts_with('-');
    let has = |letters: &[char]| words.iter().filter(is_option).any(|word| word.has_option(letters));
    let links = name == "nameref" || (name != "export" && has(&['n']));
    let counts = matches!(name, "integer" | "float") || has(&['i', 'E', 'F']);
    let is_unclear = matches!(name, "declare" | "typeset" | "local") && words.iter().any(may_be_options);
    let Findings { found, names, called, .. } = findings;
    words.iter().for_each(|word| names.declared_in_braces("declare", word));
    for word in words.iter().filter(|word| !word.is_option()) {
        if let Some(array) = &word.element_of {
            called.hide(array, &word.said);
            names.give([Rc::clone(array)], Way::Assigned, &word.references);
            continue;
        }
        let has_target = word.said.contains('=');
        let kind = match (counts, links, is_unclear) {
            (false, true, _) if has_target => Some(Kind::Link),
            (true, ..) | (_, true, _) => Some(Kind::Number),
            (_, _, true) => Some(Kind::Unknown),
            _ => None,
        };
        kind.into_iter().for_each(|kind| names.declare(word, kind));
        let bare = bare(&word.said);
        if links && has_target {
            names.links(Rc::clone(&bare));
        }
        if has(&['a', 'A']) {
            names.names_array(word);
        }
        if let Some((bare, sign)) = word.assigned() {
            called.assign(bare, word, sign + 1);
        }
        let splits = matches!(name, "declare" | "typeset" | "local");
        let way = if splits { Way::Declared } else { Way::Assigned };
        names.give([bare], way, &word.references);
        let in_braces =
            word.has_braces() && word.said.split('=').next().is_some_and(|name| name.contains('{'));
        // A name that cannot be read may be that of a number.
        if is_unclear || in_braces || (word.said.starts_with(is_unknown) && has_target) {
            all(word, Verdict::Doubted(Doubt::Variable), found);
        }
    }
}

/// Whether a word of a declaration may be options.
fn may_be_options(word: &Word) -> bool {
    let is_own = word.said.starts_with(is_unknown) && word.references.iter().all(|one| one.is_nested);
    let is_option = word.is_option() && word.said.contains(is_unknown);
    !word.is_element() && (word.has_braces() || is_option || (is_own && !word.said.contains('=')))
}

/// The name that a text begins with.
fn bare(text: &str) -> Rc<str> {
    Rc::from(&text[..name_length(text)])
}
