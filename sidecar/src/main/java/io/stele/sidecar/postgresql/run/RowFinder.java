package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

import io.stele.engine.StorageEngine;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.postgresql.plan.Access;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.sql.Expression.Operator;
import io.stele.sidecar.postgresql.type.ColumnValues;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.scheduling.ReadAdmission;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The opener of row sources for the access path of a fixed plan: key lookups, key ranges or a scan,
 * at one snapshot. Thread-safe.
 */
final class RowFinder {
    private final EngineService engine;
    private final Lookups lookups;
    private final KeyPages pages;

    RowFinder(EngineService engine, Lookups lookups, KeyPages pages) {
        this.engine = requireNonNull(engine, "engine is null");
        this.lookups = requireNonNull(lookups, "lookups is null");
        this.pages = requireNonNull(pages, "pages is null");
    }

    /** The rows of keys that are known; of several keys as of one moment. */
    RowSource byKeys(
            List<byte[]> keys,
            RowBuilder builder,
            Optional<RowTransaction> transaction,
            Client client) {
        if (transaction.isPresent()) {
            RowTransaction own = transaction.get();
            return new KeyedRows(
                    lookups,
                    builder,
                    keys,
                    Optional.of(own.snapshot().lsn()),
                    own.changes(builder.table(), keys),
                    client,
                    () -> {});
        }
        if (keys.size() <= 1) {
            return new KeyedRows(
                    lookups, builder, keys, Optional.empty(), OwnChanges.NONE, client, () -> {});
        }
        StorageEngine storage = engine.engine();
        LeasedSnapshot snapshot = Snapshots.open(storage, client);
        return new KeyedRows(
                lookups,
                builder,
                keys,
                Optional.of(snapshot.lsn()),
                OwnChanges.NONE,
                client,
                () -> storage.closeSnapshot(snapshot.id()));
    }

    /** All rows that an access path leads to. */
    RowSource open(
            Access access,
            RowBuilder builder,
            Scope scope,
            Optional<RowTransaction> transaction,
            Client client) {
        return open(access, Long.MAX_VALUE, builder, scope, transaction, client);
    }

    /**
     * The rows that an access path leads to, of which the first may be enough.
     *
     * @param wantedRows how many, as far as that is known; more may still be requested
     */
    RowSource open(
            Access access,
            long wantedRows,
            RowBuilder builder,
            Scope scope,
            Optional<RowTransaction> transaction,
            Client client) {
        return switch (access) {
            case Access.ByKey byKey ->
                    byKeys(KeyList.of(byKey, builder, scope), builder, transaction, client);
            case Access.ByKeyList byKeys ->
                    byKeys(KeyList.of(byKeys, builder, scope), builder, transaction, client);
            case Access.ByRange range when isByKey(range, builder) ->
                    new KeyRangeRows(
                            engine.engine(),
                            pages,
                            builder,
                            KeyRanges.of(range.bounds(), builder, scope),
                            range.direction(),
                            wantedRows,
                            transaction,
                            client);
            case Access.ByRange range -> scan(range, builder, scope, transaction, client);
        };
    }

    private static boolean isByKey(Access.ByRange range, RowBuilder builder) {
        return range.kind() == Access.ScanKind.KEY && builder.table().orientation().hasRows();
    }

    private RowSource scan(
            Access.ByRange range,
            RowBuilder builder,
            Scope scope,
            Optional<RowTransaction> transaction,
            Client client) {
        ScanPredicate predicate = predicate(range, builder, scope);
        ReadAdmission.Permit permit = engine.queries().group(client.identity()).enterLookup();
        return new ScannedRows(
                engine.engine(), builder, predicate, range.kind(), transaction, client, permit);
    }

    /** The bounds; bounds that the column's type cannot express are left to the condition. */
    private static ScanPredicate predicate(Access.ByRange range, RowBuilder builder, Scope scope) {
        Map<Integer, ColumnDomain> domains = new HashMap<>();
        for (Access.Bound bound : range.bounds()) {
            ColumnSchema column = builder.table().columns().get(bound.column());
            Optional<ColumnDomain> domain = domain(bound, column, scope);
            // Of two bounds of a column the first is enough to find rows
            domain.ifPresent(found -> domains.merge(column.id(), found, RowFinder::narrower));
        }
        return new ScanPredicate(domains);
    }

    /** Both bounds of an interval, or one of two domains, either of which is right. */
    private static ColumnDomain narrower(ColumnDomain first, ColumnDomain second) {
        if (first.ranges().size() == 1 && second.ranges().size() == 1) {
            ValueRange one = first.ranges().get(0);
            ValueRange other = second.ranges().get(0);
            if (one.high().isEmpty() && other.low().isEmpty()) {
                return between(one, other);
            }
            if (other.high().isEmpty() && one.low().isEmpty()) {
                return between(other, one);
            }
        }
        return first.ranges().stream().allMatch(ValueRange::isSingle) ? first : second;
    }

    private static ColumnDomain between(ValueRange low, ValueRange high) {
        int order = Arrays.compareUnsigned(low.low().orElseThrow(), high.high().orElseThrow());
        if (order > 0) {
            return new ColumnDomain(false, List.of());
        }
        return ColumnDomain.of(
                new ValueRange(low.low(), low.lowInclusive(), high.high(), high.highInclusive()));
    }

    private static Optional<ColumnDomain> domain(
            Access.Bound bound, ColumnSchema column, Scope scope) {
        ValueCodec codec = ValueCodec.of(column.type());
        if (bound.operator() == Operator.EQUAL) {
            TreeSet<byte[]> values = new TreeSet<>(Arrays::compareUnsigned);
            for (Object value : KeyList.values(bound.candidates(), column, scope)) {
                values.add(codec.encodeObject(value));
            }
            return values.size() > ColumnDomain.MAX_RANGES || hasNaN(column.type())
                    ? Optional.empty()
                    : Optional.of(
                            new ColumnDomain(
                                    false, values.stream().map(ValueRange::equal).toList()));
        }
        if (!(bound.candidates() instanceof Access.OneOf one)) {
            return Optional.empty();
        }
        Object value = one.values().get(0).evaluate(scope);
        if (value == null) {
            return Optional.of(new ColumnDomain(false, List.of())); // NULL is never true
        }
        boolean isFraction =
                value instanceof BigDecimal || value instanceof Double || value instanceof Float;
        if (hasNaN(column.type()) || (isFraction && !isExact(column.type(), value))) {
            return Optional.empty();
        }
        Optional<Object> exact = ColumnValues.toEqual(column.type(), value, scope.session().zone());
        return exact.map(
                found -> {
                    byte[] encoded = codec.encodeObject(found);
                    return ColumnDomain.of(
                            switch (bound.operator()) {
                                case LESS -> ValueRange.lessThan(encoded);
                                case AT_MOST -> ValueRange.atMost(encoded);
                                case GREATER -> ValueRange.greaterThan(encoded);
                                default -> ValueRange.atLeast(encoded);
                            });
                });
    }

    /** Whether a type has NaN, which is above all values here, and no bound in the engine. */
    private static boolean hasNaN(DataType type) {
        PostgresType shown = PostgresType.of(type);
        return shown == PostgresType.FLOAT4 || shown == PostgresType.FLOAT8;
    }

    private static boolean isExact(DataType type, Object value) {
        return PostgresType.of(type) == PostgresType.NUMERIC && value instanceof BigDecimal;
    }
}
