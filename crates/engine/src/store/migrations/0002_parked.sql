-- Version 2 of the store: a run that someone set aside is left alone until someone goes on with it.
ALTER TABLE run ADD COLUMN parked_at INTEGER;
