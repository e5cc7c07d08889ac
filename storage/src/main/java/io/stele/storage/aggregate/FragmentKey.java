package io.stele.storage.aggregate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.SchemaJson;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a fragment result is the result of. Everything in it is immutable and named by id, so a
 * result is never wrong, only unasked for.
 *
 * @param fragment SHA-256 of the aggregation in canonical form, of the types in which its columns
 *     are read, and of the conditions that some rows of the file may miss
 * @param path of the file
 * @param deletedCount rows of the file that are gone: which, follows from how many, since rows go
 *     in one order
 */
public record FragmentKey(String fragment, String path, long deletedCount) {
    /** Says how states are written and what they mean; another one finds nothing of before. */
    private static final int FORMAT = 2;

    public FragmentKey {
        requireNonNull(fragment, "fragment is null");
        requireNonNull(path, "path is null");
    }

    /** The keys of one aggregation. Confined to one thread. */
    static final class Maker {
        private final String common;
        private final Map<Map<Integer, ColumnDomain>, String> fragments = new HashMap<>();

        Maker(AggregatePlan plan) {
            Aggregation aggregation = plan.aggregation();
            StringBuilder text = new StringBuilder().append(FORMAT).append('\n');
            text.append(aggregation.groupColumns()).append('\n');
            for (AggregateCall call : aggregation.calls()) {
                text.append(json(call)).append('\n');
            }
            for (ColumnSchema column : plan.columns()) {
                boolean isNeeded = aggregation.columnIds().contains(column.id());
                text.append(isNeeded ? column.id() + " " + column.type() + "\n" : "");
            }
            this.common = text.toString();
        }

        /** The key of a file; empty where its result depends on LSNs. */
        Optional<FragmentKey> of(FileScope scope) {
            if (!scope.isWhole()) {
                return Optional.empty();
            }
            String fragment = fragments.computeIfAbsent(scope.residual(), this::fragment);
            return Optional.of(
                    new FragmentKey(
                            fragment,
                            scope.file().entry().path(),
                            scope.deleted().getLongCardinality()));
        }

        private String fragment(Map<Integer, ColumnDomain> residual) {
            StringBuilder text = new StringBuilder(common);
            new TreeMap<>(residual)
                    .forEach(
                            (id, domain) ->
                                    text.append(id).append(' ').append(json(domain)).append('\n'));
            try {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                return HexFormat.of().formatHex(digest.digest(text.toString().getBytes(UTF_8)));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("Every JDK has SHA-256", e);
            }
        }

        private static String json(Object value) {
            try {
                return SchemaJson.mapper().writeValueAsString(value);
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("Cannot write " + value, e);
            }
        }
    }
}
