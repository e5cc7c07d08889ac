package io.stele.engine.shard.write;

import static java.util.Objects.requireNonNull;

import io.stele.engine.index.IndexKeys;
import io.stele.engine.index.IndexView;
import io.stele.engine.row.KeyText;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.KeyEncoder;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The check, before a batch is logged, that no two rows of a shard have equal non-null values in a
 * unique index.
 *
 * <p>Every row that a batch or transaction writes is checked in its final state, so rows may
 * exchange values. The possible holders of a row's values are the last logged batch that claimed
 * them, and the primary keys of their entries in the index. An entry is not removed when its row
 * changes, so the row of each candidate must be read to find the real holder.
 *
 * <pre>
 * rows before the batch   in flight over memory over files: one has the values, or none
 * claim                   values to primary key, from the batch's evaluation to its application
 * </pre>
 *
 * <p>Invariant: of rows that have some values at a time, each but one had them before there was the
 * index; {@code DuplicateSearch} finds such rows when the index is built. Confined to the shard's
 * context.
 */
public final class UniqueIndexCheck {
    private final TableShard table;
    private final int indexId;
    private final GrowingBytes buffer = IndexKeys.buffer();

    public UniqueIndexCheck(TableShard table, int indexId) {
        this.table = requireNonNull(table, "table is null");
        this.indexId = indexId;
    }

    public int indexId() {
        return indexId;
    }

    /** The index as it is now. */
    IndexView index() {
        return table.view()
                .index(indexId)
                .orElseThrow(
                        () -> new IllegalStateException("Expected index " + indexId + ", gone"));
    }

    /** The values that must be unique to a row, if any: the keys for {@link IndexProbes}. */
    Optional<byte[]> claim(BinaryRow row) {
        return index().keys().uniqueValues(row, buffer);
    }

    /**
     * Checks the row that a key has after a batch, and stages its claim. The result is valid only
     * if all requested lookups were answered.
     *
     * @return the reason to refuse the batch, if any
     */
    Optional<SteleException> check(
            KeySlice key,
            BinaryRow row,
            PresentRows rows,
            InFlightKeys claims,
            IndexProbes probes) {
        IndexView index = index();
        Optional<byte[]> values = index.keys().uniqueValues(row, buffer);
        if (values.isEmpty()) {
            return Optional.empty();
        }
        byte[] wanted = values.get();
        boolean kept = has(rows.knownBefore(key), index, wanted);
        Optional<KeySlice> holder =
                kept && isUnclaimed(claims, wanted, key)
                        ? Optional.empty()
                        : holder(key, wanted, index, rows, claims, probes);
        claims.put(wanted, key.toByteArray());
        return holder.map(other -> violation(index, wanted, other));
    }

    // The previous holder may lose the values to another row of the same batch.
    private static boolean isUnclaimed(InFlightKeys claims, byte[] wanted, KeySlice key) {
        InFlightKeys.Entry claim = claims.find(wanted);
        return claim == null || primaryKey(claim).equals(key);
    }

    private Optional<KeySlice> holder(
            KeySlice key,
            byte[] wanted,
            IndexView index,
            PresentRows rows,
            InFlightKeys claims,
            IndexProbes probes) {
        Set<KeySlice> candidates = new LinkedHashSet<>();
        InFlightKeys.Entry claim = claims.find(wanted);
        if (claim != null) {
            candidates.add(primaryKey(claim));
        }
        for (KeyedVersion entry : index.entriesInMemory(wanted)) {
            candidates.add(new KeySlice(index.keys().primaryKey(entry)));
        }
        List<byte[]> inFiles = probes.find(wanted);
        if (inFiles != null) {
            inFiles.forEach(candidate -> candidates.add(new KeySlice(candidate)));
        }
        candidates.remove(key);
        for (KeySlice candidate : candidates) {
            Optional<BinaryRow> there = rows.after(candidate);
            if (there != null && has(there, index, wanted)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    private boolean has(Optional<BinaryRow> row, IndexView index, byte[] wanted) {
        return row.isPresent() && index.keys().hasValues(row.get(), wanted, buffer);
    }

    private static KeySlice primaryKey(InFlightKeys.Entry claim) {
        return new KeySlice(
                requireNonNull(claim.array(), "a claim is never taken away"),
                claim.offset(),
                claim.length());
    }

    private SteleException violation(IndexView index, byte[] values, KeySlice holder) {
        return new SteleException(
                ErrorCode.DUPLICATE_KEY,
                "Expected new values in unique index '%s' of table %s, found the duplicate key %s, which the row %s has"
                        .formatted(
                                index.keys().index().name(),
                                table.schema().qualifiedName(),
                                KeyText.of(index.keys().columns(), values),
                                KeyText.of(
                                        KeyEncoder.forPrimaryKey(table.schema()),
                                        holder.toByteArray())));
    }
}
