package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ColumnChunk;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An adapter of one column's decoded file chunks to vectors, which reuses its arrays for one chunk
 * after the other. Confined to one thread.
 */
final class ChunkVector {
    private final VectorKind kind;
    private final ValueVector plain;
    private @Nullable ValueVector flat; // for chunks with dictionaries
    private long[] lows = {};
    private long[] highs = {};
    private byte[] @Nullable [] texts = {};
    private int[] lengths = {};

    /**
     * @param kind of the column in the reader's schema: integers may be wider than in the file
     */
    ChunkVector(VectorKind kind) {
        this.kind = requireNonNull(kind, "kind is null");
        this.plain = new ValueVector(kind);
    }

    /**
     * The values of a chunk; valid until the next call.
     *
     * @throws IllegalStateException if the chunk's values are of another kind
     */
    ValueVector of(ColumnChunk chunk) {
        read(chunk);
        Optional<byte[]> ids = chunk.ids();
        if (ids.isEmpty()) {
            return plain;
        }
        ValueVector target = flat;
        if (target == null) {
            target = ValueVector.allocate(kind, VectorSource.BATCH_ROWS);
            flat = target;
        }
        target.useDictionary(plain, chunk.valueCount(), ids.get());
        return target;
    }

    private void read(ColumnChunk chunk) {
        int count = chunk.valueCount();
        plain.hasNulls = chunk.nulls().isPresent();
        plain.nulls = chunk.nulls().orElse(plain.nulls);
        switch (kind) {
            case LONG -> {
                check(chunk, ColumnChunk.Form.LONGS);
                readLongs(chunk, count);
            }
            case DOUBLE -> {
                check(chunk, ColumnChunk.Form.DOUBLES);
                plain.doubles = chunk.doubles();
            }
            case INT128 -> {
                if (chunk.form() != ColumnChunk.Form.LONGS) { // a decimal of 18 digits or less
                    check(chunk, ColumnChunk.Form.INT128);
                }
                readLongs(chunk, count);
                plain.highs = chunk.highs().orElseGet(() -> signs(count));
            }
            case BYTES -> {
                check(chunk, ColumnChunk.Form.TEXT);
                readText(chunk, count);
            }
        }
    }

    private void readLongs(ColumnChunk chunk, int count) {
        if (lows.length < count) {
            lows = new long[VectorSource.BATCH_ROWS];
        }
        plain.longs = chunk.longs(lows);
    }

    private long[] signs(int count) {
        if (highs.length < count) {
            highs = new long[VectorSource.BATCH_ROWS];
        }
        long[] source = plain.longs;
        for (int i = 0; i < count; i++) {
            highs[i] = source[i] >> (Long.SIZE - 1);
        }
        return highs;
    }

    private void readText(ColumnChunk chunk, int count) {
        if (lengths.length < count) {
            lengths = new int[VectorSource.BATCH_ROWS];
            texts = new byte[VectorSource.BATCH_ROWS][];
        }
        Arrays.fill(texts, 0, count, chunk.text());
        int[] starts = chunk.starts();
        for (int i = 0; i < count; i++) {
            lengths[i] = starts[i + 1] - starts[i];
        }
        plain.bytes = texts;
        plain.starts = starts;
        plain.lengths = lengths;
    }

    private void check(ColumnChunk chunk, ColumnChunk.Form expected) {
        if (chunk.form() != expected) {
            throw new IllegalStateException(
                    "Expected values of form %s for a column of %s, found %s"
                            .formatted(expected, kind, chunk.form()));
        }
    }
}
