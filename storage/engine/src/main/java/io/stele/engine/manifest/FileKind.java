package io.stele.engine.manifest;

/** The kinds of data files: SST files and column files. */
public enum FileKind {
    /** An SST file: sorted (key, LSN) entries in blocks. */
    ROW,
    /** A column file: rows in ORC. */
    COLUMN
}
