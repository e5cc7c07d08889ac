package io.stele.engine.manifest.orc;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.engine.manifest.FileEntry;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.schema.SchemaJson;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;

/**
 * A decoder of the rows of older manifest bases, which have entries in JSON.
 *
 * <pre>
 * min_N, max_N string  of each bounded column N of the file, each byte as the character of its
 *                      number; null: not known, or there may be NaN
 * entry binary         the JSON of the entry without its sketches, and without bounds that are
 *                      columns here
 * sketches binary      {@link SketchBytes}; null: none
 * </pre>
 *
 * The oldest have no bounds as columns, and only they have sketches. Immutable and thread-safe.
 */
final class JsonEntries {
    static final String ENTRY = "entry";
    static final String SKETCHES = "sketches";

    private static final ObjectMapper MAPPER = SchemaJson.mapper();

    private final ManifestRows rows;

    JsonEntries(ManifestRows rows) {
        this.rows = requireNonNull(rows, "rows is null");
    }

    /** The entry of a row, with sketches if they are in the row and were read. */
    FileEntry decode(VectorizedRowBatch batch, int row, boolean sketches) throws IOException {
        ByteBuffer json = bytes(batch, ENTRY, row).orElseThrow();
        FileEntry file =
                MAPPER.readValue(
                        json.array(),
                        json.arrayOffset() + json.position(),
                        json.remaining(),
                        FileEntry.class);
        if (!rows.bounded().isEmpty()) {
            Map<Integer, ColumnStats> stats = new TreeMap<>(file.columnStats());
            for (int id : rows.bounded()) {
                Optional<byte[]> min = text(batch, ManifestRows.minOf(id), row);
                Optional<byte[]> max = text(batch, ManifestRows.maxOf(id), row);
                if (min.isPresent()) {
                    stats.computeIfPresent(
                            id, (same, rest) -> new ColumnStats(min, max, rest.nullCount(), false));
                }
            }
            file = file.withColumnStats(stats);
        }
        if (sketches && rows.has(SKETCHES)) {
            Optional<ByteBuffer> stored = bytes(batch, SKETCHES, row);
            return stored.isPresent() ? file.withSketches(SketchBytes.decode(stored.get())) : file;
        }
        return file;
    }

    private Optional<byte[]> text(VectorizedRowBatch batch, String column, int row) {
        return bytes(batch, column, row)
                .map(
                        utf8 ->
                                new String(
                                                utf8.array(),
                                                utf8.arrayOffset() + utf8.position(),
                                                utf8.remaining(),
                                                UTF_8)
                                        .getBytes(ISO_8859_1));
    }

    private Optional<ByteBuffer> bytes(VectorizedRowBatch batch, String column, int row) {
        return ManifestRows.bytes((BytesColumnVector) batch.cols[rows.index(column)], row);
    }
}
