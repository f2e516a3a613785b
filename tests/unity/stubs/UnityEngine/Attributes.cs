// Attributes that the package uses. SR = docs.unity3d.com/6000.0/Documentation/ScriptReference/
using System;

namespace UnityEngine
{
    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute // SR SerializeField
    {
    }

    [AttributeUsage(AttributeTargets.Field, AllowMultiple = true)]
    public class HeaderAttribute : Attribute // SR HeaderAttribute
    {
        public HeaderAttribute(string header) // SR HeaderAttribute-ctor
        {
        }
    }

    [AttributeUsage(AttributeTargets.Field)]
    public class TooltipAttribute : Attribute // SR TooltipAttribute
    {
        public TooltipAttribute(string tooltip) // SR TooltipAttribute-ctor
        {
        }
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class RangeAttribute : Attribute // SR RangeAttribute
    {
        public RangeAttribute(float min, float max) // SR RangeAttribute-ctor
        {
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class AddComponentMenu : Attribute // SR AddComponentMenu
    {
        public AddComponentMenu(string menuName) // SR AddComponentMenu-ctor
        {
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class DisallowMultipleComponent : Attribute // SR DisallowMultipleComponent
    {
    }

    [AttributeUsage(AttributeTargets.Class, AllowMultiple = true)]
    public sealed class RequireComponent : Attribute // SR RequireComponent
    {
        public Type m_Type0; // SR RequireComponent

        public RequireComponent(Type requiredComponent) // SR RequireComponent-ctor
        {
            m_Type0 = requiredComponent;
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public class DefaultExecutionOrder : Attribute // SR DefaultExecutionOrder
    {
        public DefaultExecutionOrder(int order) // SR DefaultExecutionOrder
        {
            this.order = order;
        }

        public int order { get; private set; } // SR DefaultExecutionOrder
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class CreateAssetMenuAttribute : Attribute // SR CreateAssetMenuAttribute
    {
        public string menuName { get; set; } // SR CreateAssetMenuAttribute-menuName

        public string fileName { get; set; } // SR CreateAssetMenuAttribute-fileName
    }
}
