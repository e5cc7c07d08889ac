package io.stele.storage.shard;

import java.io.IOException;
import java.util.Optional;

/**
 * Looks at each change of one table in one shard before it is logged, and may refuse it: a unique
 * index, for example.
 *
 * <p>Changes come in the order in which they will be logged, each with the row it replaces. What is
 * logged but not applied yet is in {@code inFlight}; what is applied is in memory, where {@link
 * #evaluate} may look at will; what is in files is asked for through {@code probes}, because the
 * shard's context must not wait for files. A probe that is not answered yet ends the evaluation of
 * its batch; the batch is evaluated again from its first change when the answers are there, and
 * whatever was put into {@code inFlight} meanwhile is taken back.
 *
 * <pre>
 * a unique index:  newKey = index key of newRow, oldKey = index key of oldRow
 *   if newKey equals oldKey: nothing to do
 *   holder of newKey: inFlight, else the index's memtables, else probes
 *   held by another row: the violation
 *   inFlight.put(newKey, primary key); inFlight.remove(oldKey)
 * </pre>
 *
 * <p>Put into effect with {@code TableGroupShard.setChecks(tableId, checks)}: from then on every
 * write to the table passes them, transactions at their commit as well. Each check of a table has
 * an {@code inFlight} and {@code probes} of its own.
 */
public interface ChangeCheck {
    /**
     * Whether upserts and deletes must bring the rows they replace, which costs a lookup each.
     * Inserts and partial updates look anyway.
     */
    boolean needsOldRows();

    /**
     * Judges one change, and puts into {@code inFlight} what it does. On the shard's context; must
     * not block. Its result counts only if every probe it asked for was answered.
     *
     * @return why the change must not be, for its author to read: names the index and the values;
     *     empty: it may be
     */
    Optional<String> evaluate(Change change, InFlightKeys inFlight, Probes probes);

    /**
     * What the files say of a key that {@link #evaluate} asked for. On a lookup thread, several at
     * a time; may block.
     */
    Optional<byte[]> probe(byte[] key) throws IOException;

    /**
     * Compared by identity: while it is the same, what {@link #probe} said still holds, apart from
     * what memory says otherwise. The list of the index's files will do.
     */
    Object filesVersion();
}
