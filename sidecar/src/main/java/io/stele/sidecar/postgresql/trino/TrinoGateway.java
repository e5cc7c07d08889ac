package io.stele.sidecar.postgresql.trino;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.run.Cancellation;
import io.trino.client.ClientSession;
import io.trino.client.OkHttpUtil;
import io.trino.client.StatementClientFactory;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import okhttp3.OkHttpClient;

/**
 * The Trino server that runs the statements of PostgreSQL's clients which have no fixed plan.
 * Thread-safe; calls wait for the server.
 */
public final class TrinoGateway implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);
    private static final io.airlift.units.Duration REQUEST_TIMEOUT =
            new io.airlift.units.Duration(30, TimeUnit.SECONDS);
    private static final String PREPARED = "stele";

    private final URI uri;
    private final String catalog;
    private final Optional<Login> login;
    private final OkHttpClient http;

    /**
     * The user as which the gateway logs in; Trino's rules must let it impersonate clients.
     *
     * @param password of it
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
     * @param catalog of tables whose name has none
     * @param login empty: the name of each client is taken as it is
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
                        client.addInterceptor(
                                OkHttpUtil.basicAuth(known.user(), known.password())));
        this.http = client.build();
    }

    /**
     * Begins a query.
     *
     * @param oids of the parameters
     * @param values of the parameters in PostgreSQL's text format; empty: NULL
     */
    public TrinoRows run(
            NumberedParameters statement,
            List<Integer> oids,
            List<Optional<String>> values,
            TrinoIdentity identity,
            Cancellation cancellation) {
        if (statement.numbers().isEmpty()) {
            return start(statement.sql(), Map.of(), identity, cancellation);
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
                identity,
                cancellation);
    }

    /** The columns of a query, without running it. */
    public List<CatalogColumn> describe(
            NumberedParameters statement, TrinoIdentity identity, Cancellation cancellation) {
        List<CatalogColumn> columns = new ArrayList<>();
        for (List<Optional<String>> row : ask("OUTPUT", statement, identity, cancellation)) {
            columns.add(
                    new CatalogColumn(
                            row.get(0).orElse(""), TrinoValues.type(row.get(4).orElse("")).oid()));
        }
        return columns;
    }

    /**
     * The types of the parameters that a client has not said.
     *
     * @param oids what it has said; 0: nothing
     */
    public List<Integer> parameterOids(
            NumberedParameters statement,
            List<Integer> oids,
            TrinoIdentity identity,
            Cancellation cancellation) {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < statement.count(); i++) {
            all.add(i < oids.size() ? oids.get(i) : 0);
        }
        if (!all.contains(0)) {
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
            TrinoIdentity identity,
            Cancellation cancellation) {
        ClientSession.Builder session =
                ClientSession.builder()
                        .server(uri)
                        .user(Optional.of(login.map(Login::user).orElse(identity.user())))
                        .sessionUser(login.map(known -> identity.user()))
                        .source(
                                identity.applicationName().isEmpty()
                                        ? "stele-postgresql"
                                        : identity.applicationName())
                        .catalog(catalog)
                        .timeZone(identity.zone())
                        .clientRequestTimeout(REQUEST_TIMEOUT)
                        .preparedStatements(prepared);
        identity.searchPath().stream().findFirst().ifPresent(session::schema);
        try {
            return new TrinoRows(
                    StatementClientFactory.newStatementClient(
                            http, session.build(), sql, Optional.empty()),
                    cancellation);
        } catch (RuntimeException e) {
            throw TrinoErrors.unreachable(e);
        }
    }

    @Override
    public void close() {
        http.dispatcher().executorService().shutdown();
        http.connectionPool().evictAll();
    }
}
