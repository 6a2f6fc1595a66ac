-- Version 4 of the store: one index less, which cost a page in the commit that starts a run. The keys of a run are looked for
-- when it is forgotten, which is rare.
DROP INDEX request_run;
