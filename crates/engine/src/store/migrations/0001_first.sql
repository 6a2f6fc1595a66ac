-- Version 1 of the store. This file is never edited: what changes later is another file with the next number.
-- Times are milliseconds since 1970. A hash is 32 bytes of the chain, a digest 64 hex digits over a body.

-- Who may write. Each writer raises the epoch when it opens and checks it in every transaction.
CREATE TABLE owner (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    epoch INTEGER NOT NULL
) STRICT;
INSERT INTO owner (one, epoch) VALUES (1, 0);

CREATE TABLE plan (
    digest TEXT NOT NULL PRIMARY KEY,
    body   BLOB NOT NULL
) STRICT;

CREATE TABLE run (
    id         TEXT NOT NULL PRIMARY KEY,
    workflow   TEXT NOT NULL,
    dialect    TEXT NOT NULL,
    plan       TEXT NOT NULL REFERENCES plan (digest),
    workspace  TEXT NOT NULL,
    parent     TEXT,
    status     TEXT NOT NULL,
    detail     TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at   INTEGER,
    seq        INTEGER NOT NULL,
    hash       BLOB NOT NULL
) STRICT, WITHOUT ROWID;
-- None of these holds a column that an append changes.
CREATE INDEX run_created ON run (created_at);
CREATE INDEX run_workspace ON run (workspace, created_at);
CREATE INDEX run_open ON run (created_at) WHERE ended_at IS NULL;
CREATE INDEX run_parent ON run (parent, created_at) WHERE parent IS NOT NULL;

-- With rowids: entries of many runs that are committed together then share their pages, which makes a commit over
-- 64 runs twice as fast as one table ordered by run.
CREATE TABLE entry (
    run  TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    seq  INTEGER NOT NULL,
    at   INTEGER NOT NULL,
    body BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT;

-- The latest one of each run. The hash is the journal's at seq, the digest is the body's own.
CREATE TABLE snapshot (
    run    TEXT NOT NULL PRIMARY KEY REFERENCES run (id) ON DELETE CASCADE,
    seq    INTEGER NOT NULL,
    hash   BLOB NOT NULL,
    digest TEXT NOT NULL,
    body   BLOB NOT NULL
) STRICT;

CREATE TABLE content (
    digest TEXT NOT NULL PRIMARY KEY,
    kind   TEXT NOT NULL,
    size   INTEGER NOT NULL,
    body   BLOB NOT NULL
) STRICT;

-- Which run names which content. What nobody names may be collected.
CREATE TABLE mention (
    run    TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    digest TEXT NOT NULL REFERENCES content (digest),
    PRIMARY KEY (run, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX mention_digest ON mention (digest);

-- Starts that carried a key: the same key and the same arguments give the same run.
CREATE TABLE request (
    workspace   TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    run         TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    PRIMARY KEY (workspace, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_run ON request (run);
