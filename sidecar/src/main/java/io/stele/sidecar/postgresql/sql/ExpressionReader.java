package io.stele.sidecar.postgresql.sql;

import io.stele.sidecar.postgresql.sql.Expression.Operator;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.BooleanValue;
import net.sf.jsqlparser.expression.CaseExpression;
import net.sf.jsqlparser.expression.CastExpression;
import net.sf.jsqlparser.expression.DateTimeLiteralExpression;
import net.sf.jsqlparser.expression.DoubleValue;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.JdbcParameter;
import net.sf.jsqlparser.expression.LongValue;
import net.sf.jsqlparser.expression.NotExpression;
import net.sf.jsqlparser.expression.NullValue;
import net.sf.jsqlparser.expression.SignedExpression;
import net.sf.jsqlparser.expression.StringValue;
import net.sf.jsqlparser.expression.TimeKeyExpression;
import net.sf.jsqlparser.expression.WhenClause;
import net.sf.jsqlparser.expression.operators.arithmetic.Addition;
import net.sf.jsqlparser.expression.operators.arithmetic.Concat;
import net.sf.jsqlparser.expression.operators.arithmetic.Division;
import net.sf.jsqlparser.expression.operators.arithmetic.Modulo;
import net.sf.jsqlparser.expression.operators.arithmetic.Multiplication;
import net.sf.jsqlparser.expression.operators.arithmetic.Subtraction;
import net.sf.jsqlparser.expression.operators.conditional.AndExpression;
import net.sf.jsqlparser.expression.operators.conditional.OrExpression;
import net.sf.jsqlparser.expression.operators.relational.Between;
import net.sf.jsqlparser.expression.operators.relational.EqualsTo;
import net.sf.jsqlparser.expression.operators.relational.GreaterThan;
import net.sf.jsqlparser.expression.operators.relational.GreaterThanEquals;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.IsBooleanExpression;
import net.sf.jsqlparser.expression.operators.relational.IsNullExpression;
import net.sf.jsqlparser.expression.operators.relational.LikeExpression;
import net.sf.jsqlparser.expression.operators.relational.MinorThan;
import net.sf.jsqlparser.expression.operators.relational.MinorThanEquals;
import net.sf.jsqlparser.expression.operators.relational.NotEqualsTo;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.schema.Column;
import org.jspecify.annotations.Nullable;

/**
 * A converter of JSqlParser's expressions to {@link Expression}s, which refuses parts that no fixed
 * plan supports. Stateless.
 */
final class ExpressionReader {
    private static final int MAX_PARAMETERS = 65_535;
    private static final int MAX_NUMBER_LENGTH = 1_000;
    private static final int MAX_EXPONENT = 1_000;
    private static final Pattern PLAIN_DATE_TIME = Pattern.compile("'[0-9:. -]+'");

    private ExpressionReader() {}

    static List<Expression> readAll(
            List<? extends net.sf.jsqlparser.expression.Expression> expressions) {
        List<Expression> all = new ArrayList<>(expressions.size());
        expressions.forEach(expression -> all.add(read(expression)));
        return all;
    }

    static Expression read(net.sf.jsqlparser.expression.@Nullable Expression expression) {
        boolean isCondition =
                expression instanceof AndExpression
                        || expression instanceof OrExpression
                        || expression instanceof InExpression
                        || expression instanceof NotExpression;
        return expression != null && isCondition
                ? readMended(BooleanChains.mended(expression))
                : readMended(expression);
    }

    private static Expression readMended(
            net.sf.jsqlparser.expression.@Nullable Expression expression) {
        return switch (expression) {
            case Column column -> column(column);
            case JdbcParameter parameter -> parameter(parameter);
            case LongValue number -> integer(number.getStringValue());
            case DoubleValue number ->
                    new Expression.Literal(PostgresType.NUMERIC, number(number.toString()));
            case StringValue text -> text(text);
            case BooleanValue truth -> new Expression.Literal(PostgresType.BOOL, truth.getValue());
            case NullValue ignored -> new Expression.Literal(PostgresType.UNKNOWN, null);
            case SignedExpression signed -> signed(signed);
            case CastExpression cast -> cast(cast);
            case DateTimeLiteralExpression literal -> dateTime(literal);
            case TimeKeyExpression time -> call(time.getStringValue(), List.of());
            case Function function -> function(function);
            case ParenthesedExpressionList<?> list ->
                    list.size() == 1 ? read(list.get(0)) : new Expression.Tuple(readAll(list));
            case NotExpression not -> new Expression.Not(read(not.getExpression()));
            case IsNullExpression isNull ->
                    negated(
                            isNull.isNot(),
                            new Expression.IsNull(read(isNull.getLeftExpression())));
            case IsBooleanExpression isTrue -> isBoolean(isTrue);
            case InExpression in -> in(in);
            case Between between -> between(between);
            case LikeExpression like -> like(like);
            case CaseExpression choice -> choice(choice);
            case BinaryExpression binary -> binary(binary);
            case null -> throw new NoFixedPlanException("an expression", "none");
            default -> throw unknown(expression);
        };
    }

    private static NoFixedPlanException unknown(
            net.sf.jsqlparser.expression.Expression expression) {
        return new NoFixedPlanException(
                "columns, constants, parameters, comparisons and arithmetic",
                "'" + expression + "'");
    }

    private static Expression column(Column column) {
        String name = Identifiers.name(column.getColumnName());
        if (column.getTable() == null || column.getTable().getName() == null) {
            return switch (name) {
                case "default" -> new Expression.Default();
                case "true" -> new Expression.Literal(PostgresType.BOOL, true);
                case "false" -> new Expression.Literal(PostgresType.BOOL, false);
                case "current_user", "session_user", "user" -> call(name, List.of());
                default -> new Expression.Column(Optional.empty(), name);
            };
        }
        String qualifier = Identifiers.name(column.getTable().getName());
        return qualifier.equals("excluded")
                ? new Expression.Excluded(name)
                : new Expression.Column(Optional.of(qualifier), name);
    }

    private static Expression parameter(JdbcParameter parameter) {
        Integer index = parameter.getIndex();
        boolean isNumbered =
                "$".equals(parameter.getParameterCharacter()) && parameter.isUseFixedIndex();
        if (!isNumbered || index == null || index < 1 || index > MAX_PARAMETERS) {
            throw new PostgresException(
                    SqlState.SYNTAX_ERROR,
                    "Expected a parameter from $1 to $%s, found '%s'"
                            .formatted(MAX_PARAMETERS, parameter));
        }
        return new Expression.Parameter(index);
    }

    private static BigDecimal number(String text) {
        BigDecimal number =
                text.length() > MAX_NUMBER_LENGTH ? BigDecimal.ZERO : new BigDecimal(text);
        if (text.length() > MAX_NUMBER_LENGTH || Math.abs((long) number.scale()) > MAX_EXPONENT) {
            throw new PostgresException(
                    SqlState.NUMERIC_OUT_OF_RANGE,
                    "Expected a number of at most %s characters and an exponent of at most %s, found another"
                            .formatted(MAX_NUMBER_LENGTH, MAX_EXPONENT));
        }
        return number;
    }

    private static Expression integer(String digits) {
        BigDecimal number = number(digits);
        if (number.precision() > 19) {
            return new Expression.Literal(PostgresType.NUMERIC, number);
        }
        try {
            long value = number.longValueExact();
            return value == (int) value
                    ? new Expression.Literal(PostgresType.INT4, (int) value)
                    : new Expression.Literal(PostgresType.INT8, value);
        } catch (ArithmeticException e) {
            return new Expression.Literal(PostgresType.NUMERIC, number);
        }
    }

    private static Expression text(StringValue text) {
        String prefix = text.getPrefix() == null ? "" : text.getPrefix();
        String raw = text.getValue().replace("''", "'");
        return switch (prefix.toUpperCase(Locale.ENGLISH)) {
            case "" -> new Expression.Literal(PostgresType.UNKNOWN, raw);
            case "E" -> new Expression.Literal(PostgresType.UNKNOWN, unescaped(raw));
            case "X" -> new Expression.Literal(PostgresType.BYTEA, HexFormat.of().parseHex(raw));
            default -> throw new NoFixedPlanException("a text in quotes", text.toString());
        };
    }

    private static String unescaped(String text) {
        StringBuilder plain = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (character != '\\' || i + 1 == text.length()) {
                plain.append(character);
                continue;
            }
            char escaped = text.charAt(++i);
            switch (escaped) {
                case 'n' -> plain.append('\n');
                case 't' -> plain.append('\t');
                case 'r' -> plain.append('\r');
                case 'b' -> plain.append('\b');
                case 'f' -> plain.append('\f');
                case '\\', '\'', '"' -> plain.append(escaped);
                default ->
                        throw new NoFixedPlanException(
                                "one of the escapes \\n \\t \\r \\b \\f \\\\ \\'",
                                "'\\" + escaped + "'");
            }
        }
        return plain.toString();
    }

    private static Expression signed(SignedExpression signed) {
        if (signed.getSign() == '+') {
            return read(signed.getExpression());
        }
        if (signed.getSign() != '-') {
            throw unknown(signed);
        }
        if (signed.getExpression() instanceof LongValue number) {
            return integer("-" + number.getStringValue());
        }
        return new Expression.Negated(read(signed.getExpression()));
    }

    private static Expression cast(CastExpression cast) {
        String name = cast.getColDataType().toString().toLowerCase(Locale.ENGLISH).strip();
        if (name.indexOf('(') >= 0) {
            throw new NoFixedPlanException("a cast to a type without length", "'" + cast + "'");
        }
        String plain = name;
        if (plain.startsWith("pg_catalog.")) {
            plain = plain.substring("pg_catalog.".length());
        }
        if (plain.replace(" ", "").endsWith("[]")) {
            return read(cast.getLeftExpression()); // the compared column determines the type
        }
        String found = plain;
        PostgresType type =
                PostgresType.ofName(found)
                        .orElseThrow(
                                () ->
                                        new PostgresException(
                                                SqlState.UNDEFINED_OBJECT,
                                                "Expected a type of PostgreSQL, found '%s'"
                                                        .formatted(found)));
        return new Expression.Cast(read(cast.getLeftExpression()), type);
    }

    private static Expression dateTime(DateTimeLiteralExpression literal) {
        String quoted = literal.getValue();
        boolean isPlain = PLAIN_DATE_TIME.matcher(quoted).matches();
        PostgresType type =
                switch (literal.getType()) {
                    case DATE -> PostgresType.DATE;
                    case TIME -> PostgresType.TIME;
                    case TIMESTAMP -> PostgresType.TIMESTAMP;
                    case null, default -> throw unknown(literal);
                };
        if (!isPlain) {
            throw unknown(literal); // a zone: other types in Trino and PostgreSQL
        }
        String text = quoted.substring(1, quoted.length() - 1);
        return new Expression.Cast(new Expression.Literal(PostgresType.UNKNOWN, text), type);
    }

    private static Expression function(Function function) {
        Function known = new Function();
        known.setName(function.getName());
        known.setParameters(function.getParameters());
        if (!known.toString().equals(function.toString())) {
            throw unknown(function); // DISTINCT, FILTER, OVER and similar clauses
        }
        String name = Identifiers.name(function.getName());
        List<? extends net.sf.jsqlparser.expression.Expression> parameters =
                function.getParameters() == null ? List.of() : function.getParameters();
        if (name.equals("count")
                && parameters.size() == 1
                && parameters.get(0).toString().equals("*")) {
            return new Expression.Aggregate(name, Optional.empty());
        }
        List<Expression> arguments = readAll(parameters);
        return switch (name) {
            case "count", "min", "max" -> {
                if (arguments.size() != 1) {
                    throw unknown(function);
                }
                yield new Expression.Aggregate(name, Optional.of(arguments.get(0)));
            }
            default -> call(name, arguments);
        };
    }

    private static Expression call(String name, List<Expression> arguments) {
        String lower = name.toLowerCase(Locale.ENGLISH).replace("()", "");
        return new Expression.Call(
                lower.startsWith("pg_catalog.") ? lower.substring("pg_catalog.".length()) : lower,
                arguments);
    }

    private static Expression negated(boolean not, Expression expression) {
        return not ? new Expression.Not(expression) : expression;
    }

    private static Expression isBoolean(IsBooleanExpression test) {
        Expression value = read(test.getLeftExpression());
        Expression isTrue =
                new Expression.Call(
                        "coalesce",
                        List.of(
                                new Expression.Comparison(
                                        Operator.EQUAL,
                                        value,
                                        new Expression.Literal(PostgresType.BOOL, test.isTrue())),
                                new Expression.Literal(PostgresType.BOOL, false)));
        return negated(test.isNot(), isTrue);
    }

    private static Expression in(InExpression in) {
        if (!(in.getRightExpression() instanceof ParenthesedExpressionList<?> list)) {
            throw unknown(in);
        }
        return negated(in.isNot(), new Expression.In(read(in.getLeftExpression()), readAll(list)));
    }

    private static Expression between(Between between) {
        if (between.toString().toUpperCase(Locale.ENGLISH).contains("SYMMETRIC ")) {
            throw unknown(between);
        }
        Expression value = read(between.getLeftExpression());
        Expression both =
                new Expression.And(
                        List.of(
                                new Expression.Comparison(
                                        Operator.AT_LEAST,
                                        value,
                                        read(between.getBetweenExpressionStart())),
                                new Expression.Comparison(
                                        Operator.AT_MOST,
                                        value,
                                        read(between.getBetweenExpressionEnd()))));
        return negated(between.isNot(), both);
    }

    private static Expression choice(CaseExpression choice) {
        List<Expression.When> whens = new ArrayList<>();
        for (WhenClause clause : choice.getWhenClauses()) {
            Expression condition = read(clause.getWhenExpression());
            whens.add(
                    new Expression.When(
                            choice.getSwitchExpression() == null
                                    ? condition
                                    : new Expression.Comparison(
                                            Operator.EQUAL,
                                            read(choice.getSwitchExpression()),
                                            condition),
                            read(clause.getThenExpression())));
        }
        return new Expression.Case(
                whens, Optional.ofNullable(choice.getElseExpression()).map(ExpressionReader::read));
    }

    private static Expression like(LikeExpression like) {
        boolean ignoreCase = like.getLikeKeyWord() == LikeExpression.KeyWord.ILIKE;
        boolean isLike = ignoreCase || like.getLikeKeyWord() == LikeExpression.KeyWord.LIKE;
        if (!isLike || like.getEscape() != null || like.isUseBinary()) {
            throw unknown(like);
        }
        return negated(
                like.isNot(),
                new Expression.Like(
                        read(like.getLeftExpression()),
                        read(like.getRightExpression()),
                        ignoreCase));
    }

    private static Expression binary(BinaryExpression binary) {
        return switch (binary) {
            case AndExpression ignored -> new Expression.And(operands(binary, AndExpression.class));
            case OrExpression ignored -> new Expression.Or(operands(binary, OrExpression.class));
            case EqualsTo equals -> equality(equals);
            case NotEqualsTo ignored -> comparison(Operator.NOT_EQUAL, binary);
            case MinorThan ignored -> comparison(Operator.LESS, binary);
            case MinorThanEquals ignored -> comparison(Operator.AT_MOST, binary);
            case GreaterThan ignored -> comparison(Operator.GREATER, binary);
            case GreaterThanEquals ignored -> comparison(Operator.AT_LEAST, binary);
            case Addition ignored -> arithmetic('+', binary);
            case Subtraction ignored -> arithmetic('-', binary);
            case Multiplication ignored -> arithmetic('*', binary);
            case Division ignored -> arithmetic('/', binary);
            case Modulo ignored -> arithmetic('%', binary);
            case Concat ignored ->
                    new Expression.Concatenated(
                            read(binary.getLeftExpression()), read(binary.getRightExpression()));
            default -> throw unknown(binary);
        };
    }

    /**
     * The operands of a chain, read without recursion, because a long chain is a tree of the same
     * depth.
     */
    private static List<Expression> operands(
            BinaryExpression chain, Class<? extends BinaryExpression> kind) {
        List<Expression> operands = new ArrayList<>();
        net.sf.jsqlparser.expression.Expression left = chain;
        while (kind.isInstance(left)) {
            operands.addFirst(read(((BinaryExpression) left).getRightExpression()));
            left = ((BinaryExpression) left).getLeftExpression();
        }
        operands.addFirst(read(left));
        return operands;
    }

    private static Expression equality(EqualsTo equals) {
        if (equals.getRightExpression() instanceof Function function
                && function.getName().equalsIgnoreCase("any")
                && function.getParameters() != null
                && function.getParameters().size() == 1) {
            return new Expression.EqualsAny(
                    read(equals.getLeftExpression()), read(function.getParameters().get(0)));
        }
        return comparison(Operator.EQUAL, equals);
    }

    private static Expression comparison(Operator operator, BinaryExpression binary) {
        return new Expression.Comparison(
                operator, read(binary.getLeftExpression()), read(binary.getRightExpression()));
    }

    private static Expression arithmetic(char operator, BinaryExpression binary) {
        return new Expression.Arithmetic(
                operator, read(binary.getLeftExpression()), read(binary.getRightExpression()));
    }
}
