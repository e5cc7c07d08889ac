package io.stele.sidecar.postgresql.trino;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.run.Cancellation;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import io.trino.client.ClientSession;
import io.trino.client.OkHttpUtil;
import io.trino.client.StatementClient;
import io.trino.client.StatementClientFactory;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Response;

/**
 * The client of the Trino server that runs PostgreSQL clients' statements without a fixed plan,
 * over HTTP. Thread-safe; calls wait for the server.
 */
public final class TrinoGateway implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);
    private static final io.airlift.units.Duration REQUEST_TIMEOUT =
            new io.airlift.units.Duration(30, TimeUnit.SECONDS);
    private static final String PREPARED = "stele";
    private static final int MAX_PREPARED_BYTES = 6 << 10; // sent in an HTTP header
    private static final int UNKNOWN_OID = 705; // PostgreSQL's type of literals
    private static final Pattern NO_HEADER = Pattern.compile("[^\\x20-\\x7E]");
    private static final int MAX_QUERIES = 1_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final URI uri;
    private final String catalog;
    private final Optional<Login> login;
    private final OkHttpClient http;
    private final Semaphore queries = new Semaphore(MAX_QUERIES);
    // Ends abandoned queries, so that their clients need not wait for Trino
    private final ExecutorService closer = Executors.newVirtualThreadPerTaskExecutor();

    /**
     * The user as which the gateway logs in to Trino, whose rules must let this user impersonate
     * clients.
     *
     * @param password of the user
     */
    public record Login(String user, String password) {
        public Login {
            requireNonNull(user, "user is null");
            requireNonNull(password, "password is null");
        }

        @Override
        public String toString() {
            return user;
        }
    }

    /**
     * @param catalog of tables whose names have no catalog
     * @param login empty: the name of each client is sent without a login
     */
    public TrinoGateway(URI uri, String catalog, Optional<Login> login) {
        this.uri = requireNonNull(uri, "uri is null");
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.login = requireNonNull(login, "login is null");
        OkHttpClient.Builder client =
                new OkHttpClient.Builder()
                        .connectTimeout(CONNECT_TIMEOUT)
                        .readTimeout(READ_TIMEOUT)
                        .addInterceptor(OkHttpUtil.userAgent("stele-postgresql"));
        login.ifPresent(
                known ->
                        client.addInterceptor(TrinoGateway::checkEncrypted)
                                .addInterceptor(
                                        OkHttpUtil.basicAuth(known.user(), known.password())));
        this.http = client.build();
    }

    /** Whether this is the catalog of tables whose names have no catalog. */
    public boolean isCatalog(String name) {
        return catalog.equals(name);
    }

    /**
     * Refuses to send the password without TLS, because Trino chooses the addresses of later
     * requests.
     */
    private static Response checkEncrypted(Interceptor.Chain chain) throws IOException {
        HttpUrl url = chain.request().url();
        if (!url.isHttps()) {
            throw new IOException("Expected https for the login of Trino, found " + url.scheme());
        }
        return chain.proceed(chain.request());
    }

    /**
     * Starts a query.
     *
     * @param changes whether it may change something
     * @param oids of the parameters
     * @param values of the parameters in PostgreSQL's text format; empty: NULL
     * @throws PostgresException TOO_MANY_CONNECTIONS if too many queries run
     */
    public TrinoRows run(
            NumberedParameters statement,
            boolean changes,
            List<Integer> oids,
            List<Optional<String>> values,
            TrinoIdentity identity,
            Cancellation cancellation) {
        if (statement.numbers().isEmpty()) {
            return start(statement.sql(), Map.of(), changes, identity, cancellation);
        }
        String arguments =
                statement.numbers().stream()
                        .map(
                                number ->
                                        TrinoLiterals.of(
                                                oids.get(number - 1),
                                                values.get(number - 1),
                                                identity.zone()))
                        .collect(Collectors.joining(", "));
        return start(
                "EXECUTE IMMEDIATE %s USING %s"
                        .formatted(TrinoLiterals.text(statement.sql()), arguments),
                Map.of(),
                changes,
                identity,
                cancellation);
    }

    /**
     * The columns of a query, without running it.
     *
     * @throws PostgresException LIMIT_EXCEEDED if the query is too long to be described
     */
    public List<CatalogColumn> describe(
            NumberedParameters statement, TrinoIdentity identity, Cancellation cancellation) {
        if (isTooLong(statement)) {
            throw new PostgresException(
                    SqlState.LIMIT_EXCEEDED,
                    "Expected a statement of at most %s bytes to describe before it runs, found more"
                            .formatted(MAX_PREPARED_BYTES));
        }
        List<CatalogColumn> columns = new ArrayList<>();
        for (List<Optional<String>> row : ask("OUTPUT", statement, identity, cancellation)) {
            columns.add(
                    new CatalogColumn(
                            row.get(0).orElse(""), TrinoValues.type(row.get(4).orElse("")).oid()));
        }
        return columns;
    }

    /**
     * Asks Trino for the types of the parameters that a client has not declared.
     *
     * @param oids the declared types; 0: none
     * @return the types of all parameters; undeclared parameters of a statement that is too long to
     *     be described are texts
     */
    public List<Integer> parameterOids(
            NumberedParameters statement,
            List<Integer> oids,
            TrinoIdentity identity,
            Cancellation cancellation) {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < statement.count(); i++) {
            int oid = i < oids.size() ? oids.get(i) : 0;
            all.add(oid == UNKNOWN_OID ? 0 : oid);
        }
        if (!all.contains(0)) {
            return all;
        }
        if (isTooLong(statement)) {
            all.replaceAll(oid -> oid == 0 ? PostgresType.TEXT.oid() : oid);
            return all;
        }
        List<List<Optional<String>>> found = ask("INPUT", statement, identity, cancellation);
        for (int i = 0; i < Math.min(found.size(), statement.numbers().size()); i++) {
            int index = statement.numbers().get(i) - 1;
            if (all.get(index) == 0) {
                all.set(index, TrinoValues.type(found.get(i).get(1).orElse("")).oid());
            }
        }
        return all;
    }

    private static boolean isTooLong(NumberedParameters statement) {
        return URLEncoder.encode(statement.sql(), UTF_8).length() > MAX_PREPARED_BYTES;
    }

    private List<List<Optional<String>>> ask(
            String what,
            NumberedParameters statement,
            TrinoIdentity identity,
            Cancellation cancellation) {
        List<List<Optional<String>>> all = new ArrayList<>();
        try (TrinoRows rows =
                start(
                        "DESCRIBE %s %s".formatted(what, PREPARED),
                        Map.of(PREPARED, statement.sql()),
                        false,
                        identity,
                        cancellation)) {
            for (var row = rows.next(); row.isPresent(); row = rows.next()) {
                all.add(row.get());
            }
        }
        return all;
    }

    private TrinoRows start(
            String sql,
            Map<String, String> prepared,
            boolean changes,
            TrinoIdentity identity,
            Cancellation cancellation) {
        checkHeader("user name", identity.user());
        identity.searchPath().stream()
                .findFirst()
                .ifPresent(schema -> checkHeader("schema", schema));
        ClientSession.Builder session =
                ClientSession.builder()
                        .server(uri)
                        .user(Optional.of(login.map(Login::user).orElse(identity.user())))
                        .sessionUser(login.map(known -> identity.user()))
                        .source(
                                identity.applicationName().isEmpty()
                                        ? "stele-postgresql"
                                        : NO_HEADER
                                                .matcher(identity.applicationName())
                                                .replaceAll("?"))
                        .catalog(catalog)
                        // INSERT replaces no row, as in fixed plans
                        .properties(Map.of(catalog + ".insert_existing_rows_behavior", "FAIL"))
                        .timeZone(identity.zone())
                        .clientRequestTimeout(REQUEST_TIMEOUT)
                        .preparedStatements(prepared);
        identity.searchPath().stream().findFirst().ifPresent(session::schema);
        if (!queries.tryAcquire()) {
            throw new PostgresException(
                    SqlState.TOO_MANY_CONNECTIONS,
                    "Expected at most %s statements that Trino runs at a time, found more"
                            .formatted(MAX_QUERIES));
        }
        boolean isStarted = false;
        try {
            StatementClient query =
                    StatementClientFactory.newStatementClient(
                            http, session.build(), sql, Optional.empty());
            isStarted = true;
            return new TrinoRows(query, changes, cancellation, this::end);
        } catch (RuntimeException e) {
            throw TrinoErrors.unreachable(e);
        } finally {
            if (!isStarted) {
                queries.release();
            }
        }
    }

    private static void checkHeader(String what, String value) {
        if (NO_HEADER.matcher(value).find()) {
            throw new PostgresException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "Expected a %s of ASCII characters for what Trino runs, found '%s'"
                            .formatted(what, value));
        }
    }

    private void end(StatementClient query) {
        queries.release();
        if (!query.isRunning()) {
            query.close();
            return;
        }
        try {
            closer.execute(query::close);
        } catch (RejectedExecutionException stopping) {
            query.close();
        }
    }

    /** Waits at most two seconds for the end of abandoned queries. */
    @Override
    public void close() {
        closer.shutdown();
        try {
            boolean unused =
                    closer.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        http.dispatcher().executorService().shutdown();
        http.connectionPool().evictAll();
    }
}
