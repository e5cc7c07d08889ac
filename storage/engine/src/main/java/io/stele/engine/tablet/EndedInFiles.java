package io.stele.engine.tablet;

import java.io.IOException;
import java.util.List;

/**
 * The rows of column files that batches end, found and not marked yet. Confined to one thread at a
 * time; {@link #mark} is for the shard's context.
 */
public final class EndedInFiles {
    /** Of batches that end nothing. */
    public static final EndedInFiles NONE = new EndedInFiles(List.of(), new long[0]);

    private final List<EndedRows> files;
    private final long[] lsns;

    private EndedInFiles(List<EndedRows> files, long[] lsns) {
        this.files = List.copyOf(files);
        this.lsns = lsns;
    }

    /**
     * Blocks.
     *
     * @param lsns of the keys' batches, ascending
     */
    static EndedInFiles find(
            KeyIndexSearch search, List<ColumnFile> files, ProbeKeys keys, long[] lsns)
            throws IOException {
        List<EndedRows> ended = files.stream().map(EndedRows::new).toList();
        search.find(
                files,
                keys,
                lsns[lsns.length - 1],
                (file, key, ordinal) -> ended.get(file).add(keys.batch(key), ordinal));
        return new EndedInFiles(ended, lsns);
    }

    /** Ends them; before the batches are applied, with nothing between. */
    public void mark() {
        files.forEach(rows -> rows.mark(lsns));
    }
}
