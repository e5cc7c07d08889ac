package io.stele.sidecar.postgresql.plan;

import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.postgresql.plan.Computation.Evaluation;
import io.stele.sidecar.postgresql.sql.Expression;
import io.stele.sidecar.postgresql.sql.LatestPattern;
import io.stele.sidecar.postgresql.sql.LikePattern;
import io.stele.sidecar.postgresql.sql.NoFixedPlanException;
import io.stele.sidecar.postgresql.sql.Statement.TableName;
import io.stele.sidecar.postgresql.type.ColumnValues;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.type.TextFormat;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A compiler of a fixed plan's SQL expressions, on the columns of one table, into {@link
 * Computation}s. Confined to one thread.
 */
final class Compiler {
    private final TableSchema table;
    private final TableName name;
    private final ParameterTypes parameters;

    Compiler(TableSchema table, TableName name, ParameterTypes parameters) {
        this.table = table;
        this.name = name;
        this.parameters = parameters;
    }

    TableSchema table() {
        return table;
    }

    /**
     * The position of a column.
     *
     * @throws PostgresException UNDEFINED_COLUMN
     */
    int indexOf(String column) {
        for (int i = 0; i < table.columns().size(); i++) {
            if (table.columns().get(i).name().equals(column)) {
                return i;
            }
        }
        // Trino's names have no case: one in capitals is found without quotes too
        Optional<ColumnSchema> found = table.findColumn(column);
        if (found.isEmpty()) {
            throw new PostgresException(
                    SqlState.UNDEFINED_COLUMN,
                    "Expected a column of %s, found '%s'".formatted(table.qualifiedName(), column));
        }
        return table.indexOf(found.get().id());
    }

    /** The position of the column that an expression is, if it is one. */
    Optional<Integer> column(Expression expression) {
        if (!(expression instanceof Expression.Column column)) {
            return Optional.empty();
        }
        column.qualifier().ifPresent(this::checkQualifier);
        return Optional.of(indexOf(column.name()));
    }

    private void checkQualifier(String qualifier) {
        String expected = name.alias().orElse(name.name());
        if (!qualifier.equals(expected)) {
            throw new PostgresException(
                    SqlState.UNDEFINED_TABLE,
                    "Expected the qualifier '%s', found '%s'".formatted(expected, qualifier));
        }
    }

    /** An expression that may be of any type; a parameter is a text. */
    Computation compile(Expression expression) {
        return compile(expression, PostgresType.TEXT);
    }

    /**
     * An expression.
     *
     * @param expected the type that a parameter or a text in quotes has, where nothing else says so
     */
    Computation compile(Expression expression, PostgresType expected) {
        return switch (expression) {
            case Expression.Literal literal -> literal(literal, expected);
            case Expression.Parameter parameter -> parameter(parameter, expected);
            case Expression.Column column -> {
                int index = column(column).orElseThrow();
                yield ofColumn(index, Scope::row);
            }
            case Expression.Excluded excluded ->
                    ofColumn(indexOf(excluded.name()), Scope::excluded);
            case Expression.Cast cast -> cast(cast);
            case Expression.Arithmetic arithmetic -> arithmetic(arithmetic, expected);
            case Expression.Negated negated -> negated(negated, expected);
            case Expression.Concatenated both -> concatenated(both);
            case Expression.Comparison comparison -> comparison(comparison);
            case Expression.And and -> logic(and.all(), false);
            case Expression.Or or -> logic(or.any(), true);
            case Expression.Not not -> {
                Computation value = compile(not.value(), PostgresType.BOOL);
                yield derived(
                        PostgresType.BOOL,
                        List.of(value),
                        scope -> value.evaluate(scope) instanceof Boolean truth ? !truth : null);
            }
            case Expression.IsNull isNull -> {
                Computation value = compile(isNull.value());
                yield derived(
                        PostgresType.BOOL, List.of(value), scope -> value.evaluate(scope) == null);
            }
            case Expression.In in -> in(in);
            case Expression.EqualsAny any -> equalsAny(any);
            case Expression.Like like -> like(like);
            case Expression.Call call -> call(call, expected);
            case Expression.Case choice -> choice(choice, expected);
            case Expression.Tuple tuple ->
                    throw new NoFixedPlanException("a single value", tuple.values().size() + "");
            case Expression.Aggregate aggregate ->
                    throw new NoFixedPlanException(
                            "count, min and max only as values of SELECT", aggregate.function());
            case Expression.Default ignored ->
                    throw new NoFixedPlanException("DEFAULT as a value of a column only", "it");
        };
    }

    private static Computation derived(
            PostgresType type, List<Computation> from, Evaluation evaluation) {
        return new Computation(type, Computation.areConstant(from), evaluation);
    }

    private Computation ofColumn(int index, Function<Scope, BinaryRow> rows) {
        ColumnSchema column = table.columns().get(index);
        return new Computation(
                PostgresType.of(column.type()),
                false,
                scope -> {
                    Object value = Rows.objectAt(rows.apply(scope), index);
                    return value == null ? null : ColumnValues.toPostgres(column.type(), value);
                });
    }

    private static Computation literal(Expression.Literal literal, PostgresType expected) {
        if (literal.type() != PostgresType.UNKNOWN) {
            return Computation.constant(literal.type(), literal.value());
        }
        if (!(literal.value() instanceof String text)) {
            return Computation.constant(expected, null);
        }
        return switch (expected) {
            case UNKNOWN, TEXT, VARCHAR, BPCHAR, NAME, CHAR, JSON, JSONB ->
                    Computation.constant(PostgresType.TEXT, text);
            case TIMESTAMPTZ, TIMESTAMP, DATE ->
                    new Computation( // the zone may be another one later
                            expected,
                            true,
                            scope -> TextFormat.read(expected, text, scope.session().zone()));
            default ->
                    Computation.constant(expected, TextFormat.read(expected, text, ZoneOffset.UTC));
        };
    }

    private Computation parameter(Expression.Parameter parameter, PostgresType expected) {
        ParameterTypes.Type type =
                parameters.use(parameter.number(), new ParameterTypes.Type(expected, false));
        if (type.array()) {
            throw new NoFixedPlanException(
                    "an array in '= ANY ($%s)' only".formatted(parameter.number()), "another use");
        }
        int number = parameter.number();
        return new Computation(type.type(), true, scope -> scope.parameter(number));
    }

    private Computation cast(Expression.Cast cast) {
        Computation value = compile(cast.value(), cast.type());
        PostgresType type = cast.type();
        return derived(
                type,
                List.of(value),
                scope -> {
                    Object found = value.evaluate(scope);
                    return found == null ? null : Values.cast(found, type, scope.session().zone());
                });
    }

    private static boolean isOpen(Expression expression) {
        return expression instanceof Expression.Parameter
                || (expression instanceof Expression.Literal literal
                        && literal.type() == PostgresType.UNKNOWN);
    }

    /** Two operands, of which one may take its type from the other. */
    private List<Computation> pair(Expression left, Expression right, PostgresType expected) {
        if (isOpen(left) && !isOpen(right)) {
            Computation second = compile(right, expected);
            return List.of(compile(left, second.type()), second);
        }
        Computation first = compile(left, expected);
        return List.of(first, compile(right, first.type()));
    }

    private Computation arithmetic(Expression.Arithmetic arithmetic, PostgresType expected) {
        PostgresType open = expected.isNumber() ? expected : PostgresType.NUMERIC;
        List<Computation> operands = pair(arithmetic.left(), arithmetic.right(), open);
        Computation left = operands.get(0);
        Computation right = operands.get(1);
        if (!left.type().isNumber() || !right.type().isNumber()) {
            throw new NoFixedPlanException(
                    "arithmetic of numbers",
                    "%s and %s".formatted(left.type().sqlName(), right.type().sqlName()));
        }
        PostgresType type = Values.arithmeticType(left.type(), right.type());
        char operator = arithmetic.operator();
        return derived(
                type,
                operands,
                scope -> {
                    Object first = left.evaluate(scope);
                    Object second = right.evaluate(scope);
                    return first == null || second == null
                            ? null
                            : Values.arithmetic(operator, type, (Number) first, (Number) second);
                });
    }

    private Computation negated(Expression.Negated negated, PostgresType expected) {
        return arithmetic(
                new Expression.Arithmetic(
                        '-', new Expression.Literal(PostgresType.INT2, (short) 0), negated.value()),
                expected);
    }

    private Computation concatenated(Expression.Concatenated both) {
        Computation left = compile(both.left());
        Computation right = compile(both.right());
        return derived(
                PostgresType.TEXT,
                List.of(left, right),
                scope -> {
                    Object first = left.evaluate(scope);
                    Object second = right.evaluate(scope);
                    return first == null || second == null
                            ? null
                            : text(first, scope) + text(second, scope);
                });
    }

    private static String text(Object value, Scope scope) {
        return (String) Values.cast(value, PostgresType.TEXT, scope.session().zone());
    }

    private Computation comparison(Expression.Comparison comparison) {
        Expression.Operator operator = comparison.operator();
        if (comparison.left() instanceof Expression.Tuple left
                && comparison.right() instanceof Expression.Tuple right
                && operator == Expression.Operator.EQUAL) {
            return compile(Conjuncts.equalities(left, right), PostgresType.BOOL);
        }
        List<Computation> operands = pair(comparison.left(), comparison.right(), PostgresType.TEXT);
        boolean ignoresBlanks =
                operands.stream().anyMatch(operand -> operand.type() == PostgresType.BPCHAR);
        Computation left = ignoresBlanks ? trimmed(operands.get(0)) : operands.get(0);
        Computation right = ignoresBlanks ? trimmed(operands.get(1)) : operands.get(1);
        return derived(
                PostgresType.BOOL,
                operands,
                scope -> {
                    Object first = left.evaluate(scope);
                    Object second = right.evaluate(scope);
                    return first == null || second == null
                            ? null
                            : operator.holds(Values.compare(first, second, scope.session().zone()));
                });
    }

    /** A text without the blanks at its end, which do not belong to a char(n). */
    private static Computation trimmed(Computation value) {
        return derived(
                value.type(),
                List.of(value),
                scope ->
                        value.evaluate(scope) instanceof String text
                                ? ColumnValues.withoutBlanks(text)
                                : value.evaluate(scope));
    }

    /** AND, or OR, of three values: {@code decisive} ends it, NULL is the result if none does. */
    private Computation logic(List<Expression> parts, boolean decisive) {
        List<Computation> all = new ArrayList<>();
        parts.forEach(part -> all.add(condition(part)));
        return derived(
                PostgresType.BOOL,
                all,
                scope -> {
                    boolean isUnknown = false;
                    for (Computation part : all) {
                        Object value = part.evaluate(scope);
                        if (value == null) {
                            isUnknown = true;
                        } else if ((Boolean) value == decisive) {
                            return decisive;
                        }
                    }
                    return isUnknown ? null : !decisive;
                });
    }

    /**
     * An expression that is true, false or NULL.
     *
     * @throws PostgresException DATATYPE_MISMATCH
     */
    Computation condition(Expression expression) {
        Computation condition = compile(expression, PostgresType.BOOL);
        if (condition.type() != PostgresType.BOOL) {
            throw new PostgresException(
                    SqlState.DATATYPE_MISMATCH,
                    "Expected a condition of type boolean, found one of type "
                            + condition.type().sqlName());
        }
        return condition;
    }

    private Computation in(Expression.In in) {
        List<Expression> any = new ArrayList<>();
        for (Expression element : in.list()) {
            any.add(new Expression.Comparison(Expression.Operator.EQUAL, in.value(), element));
        }
        return logic(any, true);
    }

    private Computation equalsAny(Expression.EqualsAny any) {
        Computation value = compile(any.value());
        Computation array = array(any.array(), value.type());
        return derived(
                PostgresType.BOOL,
                List.of(value, array),
                scope -> {
                    Object found = value.evaluate(scope);
                    Object elements = array.evaluate(scope);
                    if (found == null || elements == null) {
                        return null;
                    }
                    boolean isUnknown = false;
                    for (Object element : (List<?>) elements) {
                        if (element == null) {
                            isUnknown = true;
                        } else if (Values.compare(found, element, scope.session().zone()) == 0) {
                            return true;
                        }
                    }
                    return isUnknown ? null : false;
                });
    }

    /** An array of values of a type, as a List. */
    Computation array(Expression array, PostgresType element) {
        return switch (array) {
            case Expression.Parameter parameter -> {
                ParameterTypes.Type type =
                        parameters.use(parameter.number(), new ParameterTypes.Type(element, true));
                if (!type.array()) {
                    throw new PostgresException(
                            SqlState.DATATYPE_MISMATCH,
                            "Expected an array as parameter $%s, found a %s"
                                    .formatted(parameter.number(), type.type().sqlName()));
                }
                yield new Computation(
                        type.type(), true, scope -> scope.parameter(parameter.number()));
            }
            case Expression.Literal literal when literal.value() instanceof String text ->
                    new Computation(
                            element,
                            true,
                            scope -> TextFormat.readArray(element, text, scope.session().zone()));
            default ->
                    throw new NoFixedPlanException(
                            "an array as a parameter or as a text '{...}'", "another one");
        };
    }

    private Computation like(Expression.Like like) {
        Computation value = compile(like.value());
        Computation pattern = compile(like.pattern());
        LatestPattern<LikePattern> patterns =
                new LatestPattern<>(
                        (text, escape) -> LikePattern.of(text, escape, like.ignoreCase()));
        return derived(
                PostgresType.BOOL,
                List.of(value, pattern),
                scope -> {
                    Object text = value.evaluate(scope);
                    Object form = pattern.evaluate(scope);
                    return text == null || form == null
                            ? null
                            : patterns.of(text(form, scope), LikePattern.DEFAULT_ESCAPE)
                                    .matches(text(text, scope));
                });
    }

    private Computation choice(Expression.Case choice, PostgresType expected) {
        List<Computation> conditions = new ArrayList<>();
        List<Expression> values = new ArrayList<>();
        for (Expression.When when : choice.whens()) {
            conditions.add(condition(when.condition()));
            values.add(when.value());
        }
        values.add(choice.otherwise().orElse(new Expression.Literal(PostgresType.UNKNOWN, null)));
        PostgresType known =
                values.stream()
                        .filter(value -> !isOpen(value))
                        .findFirst()
                        .map(value -> compile(value, expected).type())
                        .orElse(expected);
        return Choice.of(conditions, values.stream().map(value -> compile(value, known)).toList());
    }

    private Computation call(Expression.Call call, PostgresType expected) {
        List<Computation> arguments = new ArrayList<>();
        for (Expression argument : call.arguments()) {
            arguments.add(
                    compile(
                            argument,
                            arguments.isEmpty() ? expected : arguments.getFirst().type()));
        }
        String function = call.function() + "/" + arguments.size();
        return switch (function) {
            case "now/0", "current_timestamp/0", "transaction_timestamp/0" ->
                    constant(
                            PostgresType.TIMESTAMPTZ,
                            scope -> scope.session().times().transaction());
            case "statement_timestamp/0" ->
                    constant(
                            PostgresType.TIMESTAMPTZ, scope -> scope.session().times().statement());
            case "clock_timestamp/0" ->
                    constant(PostgresType.TIMESTAMPTZ, scope -> scope.session().times().present());
            case "current_date/0" ->
                    constant(PostgresType.DATE, scope -> scope.session().times().date());
            case "localtimestamp/0" ->
                    constant(PostgresType.TIMESTAMP, scope -> scope.session().times().local());
            case "gen_random_uuid/0" ->
                    constant(PostgresType.UUID, scope -> scope.session().uuids().get());
            case "current_user/0", "session_user/0", "user/0" ->
                    constant(PostgresType.TEXT, scope -> scope.session().user());
            case "lower/1" -> textual(arguments.get(0), text -> text.toLowerCase(Locale.ROOT));
            case "upper/1" -> textual(arguments.get(0), text -> text.toUpperCase(Locale.ROOT));
            case "length/1", "char_length/1" -> {
                Computation value = arguments.get(0);
                yield derived(
                        PostgresType.INT4,
                        arguments,
                        scope -> {
                            Object found = value.evaluate(scope);
                            if (found == null) {
                                return null;
                            }
                            if (found instanceof byte[] bytes) {
                                return bytes.length;
                            }
                            String text = text(found, scope);
                            return text.codePointCount(0, text.length());
                        });
            }
            default -> {
                if (call.function().equals("coalesce") && !arguments.isEmpty()) {
                    yield coalesce(arguments);
                }
                throw new NoFixedPlanException(
                        "one of the functions now, statement_timestamp, clock_timestamp,"
                                + " current_date, localtimestamp, lower, upper, length, coalesce,"
                                + " gen_random_uuid",
                        call.function());
            }
        };
    }

    private static Computation constant(PostgresType type, Evaluation evaluation) {
        return new Computation(type, true, evaluation);
    }

    private static Computation textual(Computation value, Function<String, String> change) {
        return derived(
                PostgresType.TEXT,
                List.of(value),
                scope -> {
                    Object found = value.evaluate(scope);
                    return found == null ? null : change.apply(text(found, scope));
                });
    }

    private static Computation coalesce(List<Computation> arguments) {
        PostgresType type =
                arguments.stream().allMatch(argument -> argument.type().isNumber())
                        ? arguments.stream()
                                .map(Computation::type)
                                .reduce(Values::arithmeticType)
                                .orElseThrow()
                        : arguments.getFirst().type();
        return derived(
                type,
                arguments,
                scope -> {
                    for (Computation argument : arguments) {
                        @Nullable Object value = argument.evaluate(scope);
                        if (value != null) {
                            return Values.cast(value, type, scope.session().zone());
                        }
                    }
                    return null;
                });
    }
}
