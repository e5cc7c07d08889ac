package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.predicate.CanonicalRead;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.schema.ColumnSchema;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The cache key of an aggregation's partial result over one column file. Everything in it is
 * immutable and named by id, so a cached result is never wrong, only no longer requested.
 *
 * @param digest SHA-256 of the aggregation in canonical form, of the types in which its columns are
 *     read, and of the conditions that some rows of the file may not match
 * @param path of the file
 * @param deletedCount number of deleted rows of the file. It determines which rows these are, since
 *     rows are deleted in one order, as long as the warehouse continues its history ({@link
 *     AggregateCacheLog})
 */
public record AggregateCacheKey(String digest, String path, long deletedCount) {
    /**
     * The version of the encoding and meaning of states; results of another version are never
     * found.
     */
    private static final int FORMAT = 2;

    public AggregateCacheKey {
        requireNonNull(digest, "digest is null");
        requireNonNull(path, "path is null");
    }

    /** A factory of the cache keys of one aggregation. Confined to one thread. */
    static final class Maker {
        private final CanonicalRead common = new CanonicalRead(FORMAT);
        private final Map<Map<Integer, ColumnDomain>, String> digests = new HashMap<>();

        Maker(AggregatePlan plan) {
            Aggregation aggregation = plan.aggregation();
            common.add(aggregation.groupColumns().toString());
            for (AggregateCall call : aggregation.calls()) {
                common.addJson(call);
            }
            for (ColumnSchema column : plan.columns()) {
                if (aggregation.columnIds().contains(column.id())) {
                    common.add(column.id() + " " + column.type());
                }
            }
        }

        /** The key of a file; empty where its result depends on LSNs. */
        Optional<AggregateCacheKey> of(FileScope scope) {
            if (!scope.isWhole()) {
                return Optional.empty();
            }
            String digest =
                    digests.computeIfAbsent(
                            scope.residual(),
                            residual -> common.copy().addConditions(residual).digest());
            return Optional.of(
                    new AggregateCacheKey(
                            digest,
                            scope.file().entry().path(),
                            scope.deleted().getLongCardinality()));
        }
    }
}
