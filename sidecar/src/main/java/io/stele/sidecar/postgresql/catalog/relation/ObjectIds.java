package io.stele.sidecar.postgresql.catalog.relation;

import io.stele.protocol.TableId;
import io.stele.protocol.schema.XxHash64;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * A generator of PostgreSQL OIDs for the user objects of one catalog version. Confined to the
 * thread that builds it.
 *
 * <p>A table's OID is made of its id, so that it is the same in every version and on every server;
 * the OIDs of other objects are hashes of their identity, in separate ranges. Of two objects with
 * one hash the second gets the next free OID.
 */
final class ObjectIds {
    private static final int FIRST_TABLE = 16_384;
    private static final int RANGE = 0x1000_0000; // 268 million: 7 ranges are below 2^31

    private final Set<Integer> taken = new HashSet<>();

    /** The kinds of objects with hashed OIDs. */
    enum Kind {
        NAMESPACE,
        VIEW,
        INDEX,
        CONSTRAINT,
        DEFAULT,
        LATE_TABLE
    }

    int table(TableId id) {
        return id.value() < RANGE - FIRST_TABLE
                ? FIRST_TABLE + (int) id.value()
                : hashed(Kind.LATE_TABLE, id.toString());
    }

    int hashed(Kind kind, String identity) {
        byte[] bytes = identity.getBytes(StandardCharsets.UTF_8);
        int base = (kind.ordinal() + 1) * RANGE;
        int offset = (int) Math.floorMod(XxHash64.hash(bytes, 0, bytes.length), (long) RANGE);
        while (!taken.add(base + offset)) {
            offset = (offset + 1) % RANGE;
        }
        return base + offset;
    }
}
