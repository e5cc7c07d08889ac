package io.stele.sidecar.postgresql.sql;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.NotExpression;
import net.sf.jsqlparser.expression.operators.conditional.AndExpression;
import net.sf.jsqlparser.expression.operators.conditional.OrExpression;
import net.sf.jsqlparser.expression.operators.relational.InExpression;

/**
 * A repair of parsed conditions for a defect of JSqlParser 5.3, which reads {@code x IN (1) AND y}
 * as {@code x IN ((1) AND y)}. It separates the operands in the order of the text, and combines
 * them again by precedence.
 */
public final class BooleanChains {
    private final List<Expression> operands = new ArrayList<>();
    private final List<Boolean> isOr = new ArrayList<>(); // or AND, after the operand
    private boolean hasChanged;

    private BooleanChains() {}

    /** Returns the expression that the text means; the same object if it needs no repair. */
    public static Expression mended(Expression expression) {
        BooleanChains chain = new BooleanChains();
        chain.add(expression);
        return chain.hasChanged ? chain.build() : expression;
    }

    private void add(Expression expression) {
        Deque<BinaryExpression> pending = new ArrayDeque<>();
        Expression left = expression;
        while (left instanceof AndExpression || left instanceof OrExpression) {
            BinaryExpression binary = (BinaryExpression) left;
            pending.push(binary);
            left = binary.getLeftExpression();
        }
        addOperand(left);
        while (!pending.isEmpty()) {
            BinaryExpression binary = pending.pop();
            isOr.add(binary instanceof OrExpression);
            add(binary.getRightExpression());
        }
    }

    private void addOperand(Expression operand) {
        int first = operands.size();
        if (operand instanceof InExpression in && isChain(in.getRightExpression())) {
            hasChanged = true;
            add(in.getRightExpression());
            InExpression mended = new InExpression(in.getLeftExpression(), operands.get(first));
            mended.setNot(in.isNot());
            operands.set(first, mended);
        } else if (operand instanceof NotExpression not && isChain(not.getExpression())) {
            add(not.getExpression());
            operands.set(first, new NotExpression(operands.get(first)));
        } else {
            operands.add(operand);
        }
    }

    /** Whether AND or OR is inside without parentheses around it. */
    private static boolean isChain(Expression expression) {
        return expression instanceof AndExpression
                || expression instanceof OrExpression
                || (expression instanceof InExpression in && isChain(in.getRightExpression()))
                || (expression instanceof NotExpression not && isChain(not.getExpression()));
    }

    private Expression build() {
        List<Expression> alternatives = new ArrayList<>();
        Expression all = operands.get(0);
        for (int i = 0; i < isOr.size(); i++) {
            Expression next = operands.get(i + 1);
            if (isOr.get(i)) {
                alternatives.add(all);
                all = next;
            } else {
                all = new AndExpression(all, next);
            }
        }
        alternatives.add(all);
        Expression any = alternatives.get(0);
        for (Expression alternative : alternatives.subList(1, alternatives.size())) {
            any = new OrExpression(any, alternative);
        }
        return any;
    }
}
