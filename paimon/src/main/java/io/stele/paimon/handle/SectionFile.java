package io.stele.paimon.handle;

import static io.airlift.slice.SizeOf.estimatedSizeOf;
import static io.airlift.slice.SizeOf.instanceSize;
import static java.util.Objects.requireNonNull;

import io.trino.spi.SplitWeight;
import java.util.Optional;

/**
 * The description of one data file in a section of a split; in a table with a primary key, its rows
 * are sorted by key.
 *
 * @param path the full location of the file
 * @param format Paimon's name of the format, in lower case
 * @param size in bytes
 * @param rowCount the number of rows of the file
 * @param schemaId of the schema with which the file was written
 * @param level in the merge tree
 * @param minSequence the least sequence number of a row
 * @param maxSequence the greatest sequence number of a row
 * @param mayHaveDeletions whether some rows may be deletions of their key
 * @param deletions the rows that are deleted by position
 * @param index Paimon's indexes of the file's columns, if it has any
 */
public record SectionFile(
        String path,
        String format,
        long size,
        long rowCount,
        long schemaId,
        int level,
        long minSequence,
        long maxSequence,
        boolean mayHaveDeletions,
        Optional<DeletionVectorLocation> deletions,
        Optional<FileIndex> index) {
    private static final int INSTANCE_SIZE = instanceSize(SectionFile.class);

    public SectionFile {
        requireNonNull(path, "path is null");
        requireNonNull(format, "format is null");
        requireNonNull(deletions, "deletions is null");
        requireNonNull(index, "index is null");
    }

    /** A split of the whole file. */
    public PaimonFileSplit whole() {
        return new PaimonFileSplit(
                path,
                format,
                0,
                size,
                size,
                rowCount,
                schemaId,
                deletions,
                index,
                path,
                SplitWeight.standard());
    }

    long retainedBytes() {
        return INSTANCE_SIZE
                + estimatedSizeOf(path)
                + estimatedSizeOf(format)
                + deletions.map(deletion -> estimatedSizeOf(deletion.path()) + 48).orElse(0L)
                + index.map(FileIndex::retainedBytes).orElse(0L);
    }
}
