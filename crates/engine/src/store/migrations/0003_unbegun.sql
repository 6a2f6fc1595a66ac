-- Version 3 of the store: effects that were asked for and that a server which ended in good order had not begun.
CREATE TABLE unbegun (
    run    TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    effect TEXT NOT NULL,
    PRIMARY KEY (run, effect)
) STRICT, WITHOUT ROWID;
