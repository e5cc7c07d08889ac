package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.base.Ticker;
import io.stele.engine.catalog.Catalog;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.status.StatementStatus;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.postgresql.catalog.relation.CatalogRelations;
import io.stele.sidecar.postgresql.catalog.relation.CatalogSettings;
import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import io.stele.sidecar.postgresql.sql.CurrentTimes;
import io.stele.sidecar.postgresql.wire.PostgresException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.util.TablesNamesFinder;

/**
 * The evaluator, in memory, of catalog queries of PostgreSQL and Flight SQL clients: SELECT on
 * {@code pg_catalog}, {@code information_schema} and constants, and SHOW. Thread-safe; a statement
 * runs in the thread of its caller.
 *
 * <p>No name in a query reaches files, the network, Java or data of tables, because all relations
 * and functions are those of this package. {@code set_config} changes nothing here; the owner of
 * the session applies it.
 */
public final class CatalogQueries implements AutoCloseable {
    /** The version of PostgreSQL whose catalog this is. */
    public static final String SERVER_VERSION = CatalogSettings.SERVER_VERSION;

    private static final int MAX_RESTRICTED_USERS = 64; // each has the relations that it sees

    private final Supplier<Catalog> catalog;
    private final AccessControl access;
    private final String database;
    private final InstantSource clock;
    private final Instant serverStart;
    private final Supplier<List<StatementStatus>> statements;
    private final Ticker ticker;
    private final StatementParser parser = new StatementParser();
    private volatile Optional<Relations> latest = Optional.empty(); // of all
    private final Cache<String, Relations> ofUsers =
            Caffeine.newBuilder().maximumSize(MAX_RESTRICTED_USERS).build();

    /**
     * @param rulesVersion of the access control by which they were chosen
     */
    private record Relations(CatalogRelations relations, long rulesVersion) {
        private boolean isOf(Catalog current, long rules) {
            return relations.version() == current.version() && rulesVersion == rules;
        }
    }

    /**
     * @param catalog the current catalog
     * @param access decides which tables a user sees
     * @param database the name of the one database that clients see
     * @param statements the rows of {@code pg_stat_statements}
     * @param clock of the server, whose start is now
     */
    public CatalogQueries(
            Supplier<Catalog> catalog,
            AccessControl access,
            String database,
            Supplier<List<StatementStatus>> statements,
            InstantSource clock) {
        this(catalog, access, database, statements, clock, Ticker.systemTicker());
    }

    CatalogQueries(
            Supplier<Catalog> catalog,
            AccessControl access,
            String database,
            Supplier<List<StatementStatus>> statements,
            InstantSource clock,
            Ticker ticker) {
        this.statements = requireNonNull(statements, "statements is null");
        this.access = requireNonNull(access, "access is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.database = requireNonNull(database, "database is null");
        this.clock = requireNonNull(clock, "clock is null");
        this.serverStart = clock.instant().truncatedTo(ChronoUnit.MICROS);
        this.ticker = requireNonNull(ticker, "ticker is null");
    }

    /**
     * Whether a statement reads only the catalog and constants, so that it can be evaluated here.
     */
    public boolean concerns(String sql, AuthenticatedUser user) {
        StatementText text = new StatementText(sql);
        return switch (text.word(0)) {
            case "show" -> ShowAnswers.isShow(text) && text.isOneStatement();
            case "select", "with", "values", "table", "(" ->
                    (!text.hasWord("from") && !text.word(0).equals("table") || text.namesCatalog())
                            && readsCatalogOnly(sql, user);
            default -> false;
        };
    }

    private boolean readsCatalogOnly(String sql, AuthenticatedUser user) {
        try {
            Select select = parser.parse(sql);
            boolean hasTables = false;
            for (String name : tables(select)) {
                hasTables = true;
                List<String> parts = CatalogRelations.nameParts(name);
                boolean isCatalog =
                        parts.size() <= 2
                                && relations(user)
                                        .find(
                                                parts.size() == 2
                                                        ? Optional.of(parts.get(0))
                                                        : Optional.empty(),
                                                parts.get(parts.size() - 1))
                                        .isPresent();
                if (!isCatalog) {
                    return false;
                }
            }
            if (!hasTables) {
                describe(sql, List.of(), user); // of constants; fails if it calls unknown functions
            }
            return true;
        } catch (SteleException | UnsupportedOperationException e) {
            return false;
        }
    }

    private static Set<String> tables(Select select) {
        TablesNamesFinder<Void> finder = new TablesNamesFinder<>();
        return finder.getTables((Statement) select);
    }

    /**
     * Runs a statement.
     *
     * @param parameters texts of $1, $2 and so on; empty: NULL
     * @param parameterTypeOids their types; 0: unknown
     * @throws SteleException INVALID_ARGUMENT
     * @throws PostgresException INVALID_ESCAPE_SEQUENCE
     */
    public CatalogResult run(
            String sql,
            List<Optional<String>> parameters,
            List<Integer> parameterTypeOids,
            CatalogSession session) {
        return answered(
                () -> {
                    QueryContext context =
                            context(Optional.of(parameters), parameterTypeOids, session);
                    StatementText text = new StatementText(sql);
                    return ShowAnswers.isShow(text)
                            ? ShowAnswers.answer(text, context)
                            : result(context, sql);
                });
    }

    private CatalogResult result(QueryContext context, String sql) {
        SelectPlan plan = new SelectCompiler(context).compile(parser.parse(sql), Optional.empty());
        Casts casts = new Casts(context);
        List<CatalogColumn> columns = columns(plan);
        List<List<Optional<String>>> rows = new ArrayList<>();
        for (Object[] row : plan.rows(Frame.root())) {
            List<Optional<String>> values = new ArrayList<>(row.length);
            for (int index = 0; index < row.length; index++) {
                values.add(
                        row[index] == CatalogValues.NULL
                                ? Optional.empty()
                                : Optional.of(
                                        context.countText(
                                                casts.text(
                                                        row[index],
                                                        columns.get(index).typeOid()))));
            }
            rows.add(values);
        }
        return new CatalogResult(columns, rows);
    }

    private static List<CatalogColumn> columns(SelectPlan plan) {
        return plan.columns().stream()
                .map(
                        column ->
                                new CatalogColumn(
                                        column.name(),
                                        column.type() == Typed.UNKNOWN
                                                ? TypeOids.TEXT
                                                : column.type()))
                .toList();
    }

    /** The columns that {@link #run} would return, before values are known. */
    public List<CatalogColumn> describe(
            String sql, List<Integer> parameterTypeOids, AuthenticatedUser user) {
        return described(
                parameterTypeOids,
                user,
                context -> {
                    StatementText text = new StatementText(sql);
                    return ShowAnswers.isShow(text)
                            ? ShowAnswers.columns(text)
                            : columns(
                                    new SelectCompiler(context)
                                            .compile(parser.parse(sql), Optional.empty()));
                });
    }

    /** The types of the parameters: as declared, or as their use in the statement shows. */
    public List<Integer> parameterTypes(
            String sql, List<Integer> parameterTypeOids, AuthenticatedUser user) {
        return described(
                parameterTypeOids,
                user,
                context -> {
                    if (!ShowAnswers.isShow(new StatementText(sql))) {
                        new SelectCompiler(context).compile(parser.parse(sql), Optional.empty());
                    }
                    return context.parameterTypes();
                });
    }

    private <T> T described(
            List<Integer> parameterTypeOids,
            AuthenticatedUser user,
            Function<QueryContext, T> description) {
        return answered(
                () ->
                        description.apply(
                                context(Optional.empty(), parameterTypeOids, session(user))));
    }

    private CatalogSession session(AuthenticatedUser user) {
        return new CatalogSession(
                user,
                (int) ProcessHandle.current().pid(),
                Map.of(),
                CurrentTimes.now(clock, ZoneOffset.UTC));
    }

    private QueryContext context(
            Optional<List<Optional<String>>> parameters,
            List<Integer> parameterTypeOids,
            CatalogSession session) {
        return new QueryContext(
                relations(session.user()),
                session,
                database,
                serverStart,
                () -> statements(session.user()),
                parameters,
                parameterTypeOids,
                ticker);
    }

    /** The statements that a user may see: with privileges by table, only its own. */
    private List<StatementStatus> statements(AuthenticatedUser user) {
        List<StatementStatus> all = statements.get();
        return access.isRestricted(user)
                ? all.stream().filter(status -> status.user().equals(user.name())).toList()
                : all;
    }

    /** Runs an evaluation, each failure of which counts as a wrong statement. */
    private static <T> T answered(Supplier<T> answer) {
        try {
            return answer.get();
        } catch (SteleException | PostgresException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a query that the catalog understands, found one that fails: " + e,
                    e);
        }
    }

    private CatalogRelations relations(AuthenticatedUser user) {
        Catalog current = catalog.get();
        if (!access.isRestricted(user)) {
            Optional<Relations> found = latest;
            return found.filter(all -> all.isOf(current, 0))
                    .orElseGet(() -> build(current, user))
                    .relations();
        }
        long rules = access.version(); // read first, because the rules may change in between
        Relations found = ofUsers.getIfPresent(user.name());
        if (found == null || !found.isOf(current, rules)) {
            found = new Relations(new CatalogRelations(current, database, access, user), rules);
            ofUsers.put(user.name(), found);
        }
        return found.relations();
    }

    private synchronized Relations build(Catalog current, AuthenticatedUser user) {
        if (latest.filter(all -> all.isOf(current, 0)).isEmpty()) {
            latest =
                    Optional.of(
                            new Relations(
                                    new CatalogRelations(current, database, access, user), 0));
        }
        return latest.orElseThrow();
    }

    @Override
    public void close() {
        parser.close();
    }
}
