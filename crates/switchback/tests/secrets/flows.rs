//! Workflows that do with a secret what must not be done.

/// Letters that mean something to shells, JSON, addresses, HTML and formats, around a word that means nothing to any of them.
pub(crate) const TOKEN: &str = "p@/+ ü\"'$`&<%s\\n=Xq7unguessableZk2~;*!";
pub(crate) const TOKEN_WORD: &str = "Xq7unguessableZk2";

/// Several lines, each of which is a secret.
pub(crate) const KEY: &str =
    "-----BEGIN KEY-----\nMIIEfirstlineOfIt0123456789\nMIIEsecondlineOfIt98765432\n-----END KEY-----";
pub(crate) const KEY_WORDS: [&str; 2] = ["firstlineOfIt0123", "secondlineOfIt987"];

/// Every way to say it.
pub(crate) const LEAK: &str = r#"
name: leak
secrets: {TOKEN: {description: opens the door}, KEY: }
inputs: {stage: {type: string, default: test}}
blocks:
  - id: plain
    type: Shell
    inputs:
      command: |
        printf '%s\n' "$TOKEN"; echo "$KEY"; env; export -p; set
        mkdir -p kept; printf %s "$TOKEN" > kept/token; printf %s "$KEY" > kept/key
      env: &secrets {TOKEN: "${secrets.TOKEN}", KEY: "${secrets.KEY}", STAGE: "${inputs.stage}"}
  - id: pieces
    type: Shell
    inputs:
      command: printf %s "$TOKEN" | dd bs=1 status=none >&2; printf %s "$KEY" | dd bs=7 status=none
      env: *secrets
  - id: encoded
    type: Shell
    inputs:
      command: |
        for before in '' u us use 'user:'; do
          printf '%s%s' "$before" "$TOKEN" | base64; printf '%s%s' "$before" "$KEY" | base64 -w 0; echo
          printf '%s%s' "$before" "$TOKEN" | base64 -w 0 | tr '+/' '-_' | tr -d =; echo
        done
        for value in "$TOKEN" "$KEY"; do
          printf %s "$value" | od -An -v -tx1
          printf %s "$value" | od -An -v -tx1 | tr -d ' \n' | tr a-f A-F; echo
          printf %s "$value" | od -An -v -tx1 | tr -d '\n' | sed 's/ /%/g'; echo
        done
      env: *secrets
  - id: quoted
    type: Shell
    inputs:
      command: |
        set -x; : "$TOKEN" "$KEY"; set +x
        printf %s "$TOKEN" | sed 's/\\/\\\\/g; s/"/\\"/g'; echo
        printf %s "$TOKEN" | sed "s/'/'\\\\''/g"; echo
        printf %s "$TOKEN" | tr a-z A-Z; echo
        printf %s "$TOKEN" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; echo
      env: *secrets
  - id: spelled
    type: Shell
    inputs:
      command: |
        for value in "$TOKEN" "$KEY"; do
          printf %s "$value" | iconv -f UTF-8 -t UTF-16LE; echo
          printf %s "$value" | iconv -f UTF-8 -t UTF-16BE; echo
          units=$(printf %s "$value" | iconv -f UTF-8 -t UTF-16BE | od -An -v -tx1 | tr -d ' \n')
          printf '%s\n' "$units" | sed 's/..../\\u&/g'
          printf '%s\n' "$units" | tr a-f A-F | sed 's/..../\\u&/g'
          printf '%s\n' "$units" | sed 's/00\(..\)/\&#x\1;/g'
        done
        printf %s "$KEY" | od -An -v -tu1 | tr -s ' ' '\n' | sed '/./s/.*/\&#&;/'
        printf '%s\n' "$TOKEN" | sed 's/[]\/$*.^[]/\\&/g'
        printf '%s\n' "$TOKEN" | sed 's/[$&()*+.?[\^{|}~-]/\\&/g'
      env: *secrets
  - id: large
    type: Shell
    inputs:
      command: while :; do printf '%s\n' "$KEY" "$TOKEN" 2>/dev/null || exit 0; done | head -c 1500000
      env: *secrets
  - id: failed
    type: Shell
    inputs: {command: 'echo "cannot use $TOKEN" >&2; echo "$KEY" >&2; exit 3', env: *secrets}
  - id: read
    type: ReadFile
    depends_on: [plain]
    inputs: {path: kept/token}
  - id: found
    type: Shell
    depends_on: [read]
    inputs: {command: 'cat kept/token; echo; base64 kept/key; rm -r kept'}
  - id: broken
    type: Shell
    depends_on: [plain]
    inputs: {command: 'printf "\377\376"; printf %s "$TOKEN"; printf "\377"', env: *secrets}
  - id: watched
    type: Shell
    depends_on: [failed]
    condition: "${blocks.failed.failed}"
    inputs: {command: 'echo seen'}
outputs:
  plain: "${blocks.plain.stdout}"
  pieces: "${blocks.pieces.stderr}"
  encoded: "${blocks.encoded.stdout}"
  found: "${blocks.found.stdout}"
  read: "${blocks.read.content}"
  why: "${blocks.failed.metadata.error}"
"#;

/// Fails in the ways that end a run.
pub(crate) const FAIL: &str = r#"
name: fail
secrets: [TOKEN]
blocks:
  - id: failed
    type: Shell
    inputs: {command: 'echo "$TOKEN is no good" >&2; exit 3', env: &secrets {TOKEN: "${secrets.TOKEN}"}}
  - id: slow
    type: Shell
    timeout: 1s
    inputs: {command: 'echo "waits with $TOKEN" >&2; sleep 60', env: *secrets}
  - id: unstarted
    type: Shell
    inputs: {command: 'true', working_dir: nowhere/at/all, env: *secrets}
"#;

/// Stays for a while with a secret in its environment.
pub(crate) const STAY: &str = r#"
name: stay
secrets: [TOKEN]
blocks:
  - id: stay
    type: Shell
    inputs: {command: 'touch stays; until test -e go; do sleep 0.02; done; rm stays', env: {TOKEN: "${secrets.TOKEN}"}}
"#;

/// Uses one secret.
pub(crate) const ONE: &str = r#"
name: one
secrets: [TOKEN]
blocks:
  - {id: one, type: Shell, inputs: {command: 'touch ran; echo "<$TOKEN>"', env: {TOKEN: "${secrets.TOKEN}"}}}
outputs: {text: "${blocks.one.stdout}"}
"#;

/// One step after another: the second finds what the first was given.
pub(crate) const ALONE: &str = r#"
name: alone
secrets: [TOKEN]
blocks:
  - {id: put, type: Shell, inputs: {command: 'printf %s "$T" > left', env: {T: "${secrets.TOKEN}"}}}
  - {id: get, type: Shell, depends_on: [put], inputs: {command: 'echo "found $(cat left)"'}}
outputs: {text: "${blocks.get.stdout}"}
"#;
