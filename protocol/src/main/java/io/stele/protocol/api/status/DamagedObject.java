package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ShardId;
import java.util.Optional;

/**
 * Something stored that cannot be used, so that a table or a shard does not serve.
 *
 * @param object path of the object, or another name of what it is
 * @param table schema and name of the table that is set aside; empty: all tables of the shard are
 * @param state {@link #TABLE_SET_ASIDE} or {@link #SHARD_STOPPED}
 * @param reason what was expected, and what was found
 * @param sinceMillis when the sidecar met it
 */
public record DamagedObject(
        String object,
        Optional<String> table,
        Optional<ShardId> shard,
        String state,
        String reason,
        long sinceMillis) {
    public static final String TABLE_SET_ASIDE = "table set aside";
    public static final String SHARD_STOPPED = "shard stopped";
    public static final String NOTHING_KNOWN = "no table known";

    public DamagedObject {
        requireNonNull(object, "object is null");
        requireNonNull(table, "table is null");
        requireNonNull(shard, "shard is null");
        requireNonNull(state, "state is null");
        requireNonNull(reason, "reason is null");
    }
}
