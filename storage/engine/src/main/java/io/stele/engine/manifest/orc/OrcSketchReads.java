package io.stele.engine.manifest.orc;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.orc.OrcErrors;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.FileSketches;
import io.stele.engine.manifest.ManifestBase;
import io.stele.engine.manifest.SketchReads;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.predicate.ColumnSketch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.StripeInformation;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the column sketches in the ORC files beside manifest bases. It reads a stripe at a
 * time and caches the last one. Confined to one thread.
 */
final class OrcSketchReads implements SketchReads {
    private final ObjectStore store;
    private @Nullable ManifestBase base; // that is open in orc
    private @Nullable Reader orc;
    private long firstRow; // of the cached stripe
    private List<Optional<byte[]>> stripe = List.of();

    OrcSketchReads(ObjectStore store) {
        this.store = requireNonNull(store, "store is null");
    }

    @Override
    public Map<Integer, ColumnSketch> read(FileSketches sketches) throws IOException {
        Optional<FileSketches.Place> place = sketches.place();
        if (place.isEmpty()) {
            return sketches.inMemory();
        }
        try {
            return OrcErrors.translate(
                    place.get().base().sketchesPath(),
                    () -> read(place.get().base(), place.get().row()));
        } catch (NoSuchFileException gone) {
            return Map.of();
        }
    }

    /**
     * Reads the sketches of all files of a base and adds them to groups; files without sketches are
     * omitted.
     */
    void readAll(ManifestBase from, List<FileEntry> inRows, SketchGroups groups)
            throws IOException {
        OrcErrors.translate(
                from.sketchesPath(),
                () -> {
                    for (int row = 0; row < inRows.size(); row++) {
                        Map<Integer, ColumnSketch> found = read(from, row);
                        if (!found.isEmpty()) {
                            groups.add(row, inRows.get(row), found);
                        }
                    }
                    return inRows;
                });
    }

    private Map<Integer, ColumnSketch> read(ManifestBase from, long row) throws IOException {
        Reader reader = orc;
        if (reader == null || !from.equals(base)) {
            reader = OrcManifestBases.openSketches(store, from);
            orc = reader;
            base = from;
            stripe = List.of();
        }
        if (row < firstRow || row >= firstRow + stripe.size()) {
            readStripe(reader, row);
        }
        return stripe.get((int) (row - firstRow))
                .map(bytes -> SketchBytes.decode(ByteBuffer.wrap(bytes)))
                .orElse(Map.of());
    }

    private void readStripe(Reader reader, long row) throws IOException {
        long first = 0;
        for (StripeInformation found : reader.getStripes()) {
            if (row < first + found.getNumberOfRows()) {
                firstRow = first;
                stripe = readStripe(reader, found);
                return;
            }
            first += found.getNumberOfRows();
        }
        throw new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected sketches of row %d, found %d rows beside %s"
                        .formatted(row, first, requireNonNull(base, "base is null").path()));
    }

    private static List<Optional<byte[]>> readStripe(Reader reader, StripeInformation stripe)
            throws IOException {
        List<Optional<byte[]>> found = new ArrayList<>();
        Reader.Options options = reader.options().range(stripe.getOffset(), stripe.getLength());
        try (RecordReader rows = reader.rows(options)) {
            VectorizedRowBatch batch = reader.getSchema().createRowBatch();
            while (rows.nextBatch(batch)) {
                for (int row = 0; row < batch.size; row++) {
                    found.add(
                            ManifestRows.bytes((BytesColumnVector) batch.cols[0], row)
                                    .map(OrcSketchReads::copy));
                }
            }
        }
        return found;
    }

    private static byte[] copy(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return copy;
    }
}
