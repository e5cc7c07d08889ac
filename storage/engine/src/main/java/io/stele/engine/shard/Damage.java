package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import java.util.Objects;
import java.util.Optional;

/**
 * Something stored that cannot be used, and is set aside so that the rest serves.
 *
 * @param shard what of serves no more; empty: no table is known at all
 * @param table whose part of the shard neither reads nor writes; empty: the shard as a whole
 * @param object path of the object, or what else it is that cannot be used
 * @param reason what was expected, and what was found
 * @param sinceMillis when this engine met it
 */
public record Damage(
        Optional<ShardId> shard,
        Optional<TableId> table,
        String object,
        String reason,
        long sinceMillis) {
    public Damage {
        requireNonNull(shard, "shard is null");
        requireNonNull(table, "table is null");
        requireNonNull(object, "object is null");
        requireNonNull(reason, "reason is null");
    }

    /** Of a table in a shard, by what was thrown. */
    public static Damage of(
            ShardId shard, TableId table, String object, Exception cause, long sinceMillis) {
        return new Damage(
                Optional.of(shard),
                Optional.of(table),
                object,
                Objects.toString(cause.getMessage(), cause.toString()),
                sinceMillis);
    }
}
