package io.stele.sidecar.postgresql.run;

import io.stele.protocol.Lsn;
import io.stele.protocol.row.BinaryRow;
import io.stele.sidecar.postgresql.run.KeyList.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A row source of listed keys, in their order, without absent rows. It looks them up in parts, as
 * there is room for them.
 */
final class KeyedRows implements RowSource {
    private final Lookups lookups;
    private final RowBuilder builder;
    private final List<byte[]> keys;
    private final Optional<Lsn> readLsn;
    private final OwnChanges own;
    private final Client client;
    private final Runnable ended;
    private final BinaryRow view;
    private int nextKey; // the first that is not looked up
    private List<Optional<byte[]>> rows = List.of();
    private int nextRow;
    private Lookups.@Nullable Found found;
    private boolean isClosed;

    /**
     * @param readLsn empty: the present rows
     * @param own changes of the transaction, which override stored rows
     * @param ended called once, at the end
     */
    KeyedRows(
            Lookups lookups,
            RowBuilder builder,
            List<byte[]> keys,
            Optional<Lsn> readLsn,
            OwnChanges own,
            Client client,
            Runnable ended) {
        this.lookups = lookups;
        this.builder = builder;
        this.keys = keys;
        this.readLsn = readLsn;
        this.own = own;
        this.client = client;
        this.ended = ended;
        this.view = new BinaryRow(builder.layout());
    }

    @Override
    public boolean next() {
        while (true) {
            while (nextRow < rows.size()) {
                Optional<byte[]> row = rows.get(nextRow++);
                if (row.isPresent()) {
                    view.wrap(row.get());
                    return true;
                }
            }
            release();
            if (nextKey == keys.size()) {
                return false;
            }
            client.cancellation().check();
            read();
        }
    }

    /** The changed rows of the next keys, or the stored ones of keys that were not changed. */
    private void read() {
        List<byte[]> asked = keys.subList(nextKey, keys.size());
        List<Optional<byte[]>> known = new ArrayList<>();
        int unchanged = 0;
        for (byte[] key : asked) {
            Optional<byte[]> changed = own.byKey().isEmpty() ? null : own.byKey().get(new Key(key));
            if (changed == null) {
                if (!known.isEmpty()) {
                    break;
                }
                unchanged++;
            } else {
                if (unchanged > 0) {
                    break;
                }
                known.add(changed);
            }
        }
        if (unchanged > 0) {
            Lookups.Found stored =
                    lookups.find(builder.table(), asked.subList(0, unchanged), readLsn, client);
            found = stored;
            rows = stored.rows();
        } else {
            rows = known;
        }
        nextKey += rows.size();
        nextRow = 0;
    }

    @Override
    public BinaryRow row() {
        return view;
    }

    @Override
    public void pause() {
        Lookups.Found held = found;
        if (held != null && !held.room().mayStay()) {
            nextKey -= rows.size() - nextRow; // they are looked up again
            release();
        }
    }

    private void release() {
        Lookups.Found held = found;
        found = null;
        rows = List.of();
        nextRow = 0;
        if (held != null) {
            held.close();
        }
    }

    @Override
    public void close() {
        release();
        if (!isClosed) {
            isClosed = true;
            ended.run();
        }
    }
}
