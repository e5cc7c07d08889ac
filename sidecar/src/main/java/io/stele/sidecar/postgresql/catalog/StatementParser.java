package io.stele.sidecar.postgresql.catalog;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.sql.BriefParser;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import net.sf.jsqlparser.JSQLParserException;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.CCJSqlParserUtil;
import net.sf.jsqlparser.parser.feature.Feature;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.select.Select;

/**
 * The parser of catalog queries, by JSqlParser with limits and a timeout, and a cache of the last
 * queries. Thread-safe.
 */
final class StatementParser implements AutoCloseable {
    /** Longer than any that clients send: asyncpg's longest has 8 KiB. */
    private static final int MAX_LENGTH = 256 << 10;

    private static final int MAX_DEPTH = 40;
    private static final long CACHED_CHARACTERS = 4 << 20;
    private static final long TIMEOUT_MILLIS = 5_000;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final Cache<String, Select> parsed =
            CacheBuilder.newBuilder()
                    .maximumWeight(CACHED_CHARACTERS)
                    .weigher((String sql, Select select) -> sql.length())
                    .build();

    Select parse(String sql) {
        Select cached = parsed.getIfPresent(sql);
        if (cached != null) {
            return cached;
        }
        if (sql.length() > MAX_LENGTH) {
            throw CatalogValues.invalid(
                    "at most " + MAX_LENGTH + " characters", sql.length() + " characters");
        }
        StatementText text = new StatementText(sql);
        if (!text.isOneStatement()) {
            throw CatalogValues.invalid("one statement", "none or several");
        }
        if (text.depth() > MAX_DEPTH) {
            throw CatalogValues.invalid(
                    "at most " + MAX_DEPTH + " brackets inside each other",
                    String.valueOf(text.depth()));
        }
        Select select = parse(text);
        parsed.put(sql, select);
        return select;
    }

    private Select parse(StatementText text) {
        String sql = text.parseable();
        Statement statement;
        try {
            statement = parse(sql, false);
        } catch (JSQLParserException first) {
            try {
                statement = parse(sql, true);
            } catch (JSQLParserException e) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected a query of the catalog, found a syntax error: "
                                + String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
                        e);
            }
        }
        if (statement instanceof Select select) {
            return select;
        }
        throw CatalogValues.invalid("SELECT, VALUES, TABLE or SHOW", text.word(0));
    }

    private Statement parse(String sql, boolean isComplex) throws JSQLParserException {
        CCJSqlParser parser =
                new BriefParser(sql)
                        .withAllowComplexParsing(isComplex)
                        .withFeature(Feature.timeOut, TIMEOUT_MILLIS);
        return CCJSqlParserUtil.parseStatement(parser, executor);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
