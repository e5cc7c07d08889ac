package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.ColumnChunk;
import io.stele.columnfile.orc.ColumnChunks;
import io.stele.columnfile.orc.OrcSchemas;
import io.stele.columnfile.orc.WantedValues;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.protocol.schema.ColumnSchema;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * A vector source of the rows of one column file that a reader sees, in chunks from the
 * decoded-column cache or from the file. A file of an earlier schema version needs no mapping,
 * since the types from which these columns can be widened have the same values in ORC. Confined to
 * one thread at a time.
 */
final class ColumnFileVectors implements VectorSource {
    private final TableFiles files;
    private final ColumnFile file;
    private final List<ColumnSchema> columns;
    private final List<ColumnSchema> read;
    private final List<WantedValues> filter;
    private final long readLsn;
    private final long fromLsn;
    private final boolean checksLsn;
    private final RoaringBitmap deleted;
    private final ChunkVector[] slots;
    private final @Nullable ValueVector[] vectors; // of the present chunk, as far as requested
    private final long[] lsns;
    private @Nullable ColumnChunks chunks;

    /**
     * @param columns in the reader's schema, by slot
     * @param read the columns that will be requested
     * @param filter rows that have none of these values in some column may be omitted
     * @param deleted positions of deleted rows in the file
     * @param readLsn rows with a higher LSN are not visible
     * @param fromLsn rows with a lower LSN have expired
     */
    ColumnFileVectors(
            TableFiles files,
            ColumnFile file,
            List<ColumnSchema> columns,
            List<ColumnSchema> read,
            List<WantedValues> filter,
            RoaringBitmap deleted,
            long readLsn,
            long fromLsn) {
        this.files = requireNonNull(files, "files is null");
        this.file = requireNonNull(file, "file is null");
        this.columns = List.copyOf(columns);
        this.read = List.copyOf(read);
        this.filter = List.copyOf(filter);
        this.deleted = requireNonNull(deleted, "deleted is null");
        this.readLsn = readLsn;
        this.fromLsn = fromLsn;
        this.checksLsn =
                file.entry().maxLsn().value() > readLsn || file.entry().minLsn().value() < fromLsn;
        this.slots =
                columns.stream()
                        .map(column -> new ChunkVector(VectorKind.of(column.type())))
                        .toArray(ChunkVector[]::new);
        this.vectors = new ValueVector[slots.length];
        this.lsns = new long[checksLsn ? BATCH_ROWS : 0];
    }

    @Override
    public boolean load() throws IOException {
        Arrays.fill(vectors, null);
        ColumnChunks open = chunks;
        if (open == null) {
            open = files.openChunks(file, read, checksLsn, filter);
            chunks = open;
        }
        return open.advance();
    }

    @Override
    public int size() {
        return open().size();
    }

    @Override
    public ValueVector column(int slot) {
        ValueVector vector = vectors[slot];
        if (vector == null) {
            ColumnSchema column = columns.get(slot);
            Optional<ColumnChunk> chunk = open().column(column.id());
            vector = chunk.map(slots[slot]::of).orElseGet(() -> InitialVector.of(column, size()));
            vectors[slot] = vector;
        }
        return vector;
    }

    @Override
    public int select(int[] rows) {
        int size = size();
        int count = checksLsn ? selectLsns(rows, size) : selectAll(rows, size);
        int first = open().firstOrdinal();
        return deleted.intersects(first, (long) first + size)
                ? selectNotDeleted(rows, count, first)
                : count;
    }

    private static int selectAll(int[] rows, int size) {
        for (int row = 0; row < size; row++) {
            rows[row] = row;
        }
        return size;
    }

    private int selectLsns(int[] rows, int size) {
        Optional<ColumnChunk> known = open().column(OrcSchemas.LSN_ID);
        Arrays.fill(lsns, 0, size, open().commonLsn());
        Optional<byte[]> ids = known.flatMap(ColumnChunk::ids);
        long[] values = known.map(chunk -> chunk.longs(lsns)).orElse(lsns);
        int count = 0;
        for (int row = 0; row < size; row++) {
            long lsn = values[ids.isPresent() ? ids.get()[row] & 0xFF : row];
            rows[count] = row;
            count += lsn <= readLsn && lsn >= fromLsn ? 1 : 0;
        }
        return count;
    }

    private int selectNotDeleted(int[] rows, int count, int first) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            int row = rows[i];
            rows[kept] = row;
            kept += deleted.contains(first + row) ? 0 : 1;
        }
        return kept;
    }

    private ColumnChunks open() {
        return requireNonNull(chunks, "no batch");
    }

    @Override
    public void close() throws IOException {
        ColumnChunks open = chunks;
        chunks = null;
        if (open != null) {
            open.close();
        }
    }
}
