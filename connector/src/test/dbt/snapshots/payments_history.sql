{% snapshot payments_history %}
{{ config(target_schema='dbt', unique_key='id', strategy='check', check_cols=['amount']) }}
SELECT id, region, amount + (CASE WHEN id = 2 THEN {{ var('day') }} ELSE 0 END) AS amount FROM {{ ref('payments') }}
{% endsnapshot %}
