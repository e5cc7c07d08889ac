package io.stele.sidecar.postgresql.sql;

import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.parser.StringProvider;
import net.sf.jsqlparser.parser.Token;

/**
 * A JSqlParser whose failures name the token that it found, but not those that it expected: it
 * would look for them along all its lookaheads again, in a time that grows exponentially with
 * parentheses. Confined to one thread.
 */
public final class BriefParser extends CCJSqlParser {
    public BriefParser(String sql) {
        super(new StringProvider(sql));
    }

    @Override
    public ParseException generateParseException() {
        Token found = token.next == null ? token : token.next;
        return new ParseException(
                "Encountered unexpected token: \"%s\" at line %s, column %s"
                        .formatted(found.image, found.beginLine, found.beginColumn));
    }
}
