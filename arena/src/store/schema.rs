//! The tables, and how a file of an older version becomes one of this.

/// What a file of ours says in its header, so that another program's database is never taken for results: "Manc".
pub const APPLICATION_ID: i32 = 0x4D61_6E63;

/// The statements that lead from each version (the place in this list) to the next. Never change one that was
/// released: add another.
///
/// Lists are by seat, as JSON. `match` has what tables and statistics ask for; the plies are beside it, in
/// `transcript`, so that reading a million results does not read a million transcripts. `dialogue` has the lines between
/// arena and bots of those matches for which they were kept; no result hangs on them.
pub const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE plan (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        plan TEXT NOT NULL,             -- JSON
        arena TEXT NOT NULL,            -- the version that added it
        created_ms INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE bot (
        plan INTEGER NOT NULL REFERENCES plan (key),
        place INTEGER NOT NULL,         -- in the plan's list, from 0
        name TEXT NOT NULL,
        content TEXT,                   -- hash of its program
        launch TEXT NOT NULL,           -- JSON
        PRIMARY KEY (plan, place)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE match (
        key INTEGER PRIMARY KEY,
        plan INTEGER NOT NULL REFERENCES plan (key),
        id INTEGER NOT NULL,            -- its place in the plan's schedule
        rotation INTEGER NOT NULL,
        bots TEXT NOT NULL,             -- by place in the plan's list
        places TEXT NOT NULL,
        points TEXT NOT NULL,
        forfeits TEXT NOT NULL,         -- true or false
        end TEXT NOT NULL,
        plies INTEGER NOT NULL,
        faults INTEGER NOT NULL,        -- how many
        moves TEXT NOT NULL,            -- how many
        time_us TEXT NOT NULL,
        fingerprint INTEGER NOT NULL,   -- of opening and moves, 64 bits
        started_ms INTEGER NOT NULL,
        elapsed_us INTEGER NOT NULL,
        UNIQUE (plan, id)
    ) STRICT;

    CREATE TABLE transcript (
        match INTEGER PRIMARY KEY REFERENCES match (key),
        seed INTEGER NOT NULL,          -- 64 bits
        opening TEXT NOT NULL,          -- JSON
        seats TEXT NOT NULL,            -- by ply, one digit each
        moves TEXT NOT NULL,            -- by ply, JSON list
        elapsed_us TEXT NOT NULL,       -- by ply, JSON list
        details TEXT                    -- JSON: what most matches have nothing of
    ) STRICT;
",
    "
    CREATE TABLE dialogue (
        match INTEGER PRIMARY KEY REFERENCES match (key),
        lines TEXT NOT NULL             -- by time: microseconds, seat, kind, text; separated by tabs
    ) STRICT;
",
    "
    CREATE TABLE void (                 -- matches that came to nothing through the arena or its host; played again
        key INTEGER PRIMARY KEY,
        plan INTEGER NOT NULL REFERENCES plan (key),
        id INTEGER NOT NULL,            -- of the match
        seat INTEGER NOT NULL,
        ply INTEGER NOT NULL,
        reason TEXT NOT NULL,
        late_us INTEGER NOT NULL,
        stalled_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL
    ) STRICT;
",
    "
    CREATE TABLE run (                  -- each time that matches of a plan were played
        key INTEGER PRIMARY KEY,
        plan INTEGER NOT NULL REFERENCES plan (key),
        arena TEXT NOT NULL,            -- its version
        jobs INTEGER NOT NULL,
        sandbox TEXT NOT NULL,          -- JSON: the layers that its bots were in, empty without a sandbox
        limits TEXT NOT NULL,           -- JSON: what each bot might use there
        started_ms INTEGER NOT NULL
    ) STRICT;
",
    "
    ALTER TABLE run ADD COLUMN programs TEXT NOT NULL DEFAULT '[]'; -- JSON: where the program of each bot was found
",
];
