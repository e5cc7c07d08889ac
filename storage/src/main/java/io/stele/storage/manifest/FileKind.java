package io.stele.storage.manifest;

/** What a data file is. */
public enum FileKind {
    /** A row shard file: sorted (key, LSN) entries in blocks. */
    ROW,
    /** A column shard file: ORC. */
    COLUMN
}
